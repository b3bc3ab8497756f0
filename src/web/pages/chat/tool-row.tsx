import { useState } from 'react';
import { escapeLine } from '../../../contract/escape-text.ts';
import { Icon } from '../../components/icon.tsx';
import type { IconName } from '../../components/icon-paths.ts';
import { formatDuration } from '../../components/time.tsx';
import { shownText } from './shown-text.ts';
import type { ToolEntry } from './turn.ts';
import styles from './tool-row.module.css';
import { formatNumber } from '../../components/format-number.ts';

const looks: Record<ToolEntry['state'], { icon: IconName; label: string }> = {
  running: { icon: 'loader-circle', label: 'running' },
  asking: { icon: 'shield-question-mark', label: 'waiting for you' },
  ok: { icon: 'circle-check', label: 'ok' },
  failed: { icon: 'circle-x', label: 'failed' },
  refused: { icon: 'ban', label: 'refused' },
  stopped: { icon: 'ban', label: 'stopped' },
};
/** A row has room for no more. */
const SUBJECT = 200;
/** More of a result is shown once asked for. */
const RESULT = 20_000;

/** A call and its result: one row, and unfolded all that is known. */
export function ToolRow({ call }: { call: ToolEntry }) {
  const [isOpen, setOpen] = useState(false);
  const { name, args, state, result, startedAt, endedAt } = call;
  const { icon, label } = looks[state];
  const hasTime = startedAt !== undefined && endedAt !== undefined && state !== 'stopped';
  return (
    <div className={styles['tool']} data-state={state}>
      <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary>
          <Icon name={icon} size={14} />
          <span className={styles['name']}>{escapeLine(name)}</span>
          <span className={styles['subject']}>{escapeLine(subjectOf(args).slice(0, SUBJECT))}</span>
          <span className={styles['outcome']}>
            {label}
            {hasTime && ` · ${formatDuration(Math.max(0, endedAt - startedAt))}`}
          </span>
        </summary>
        {isOpen && <Details {...call} />}
      </details>
      {(state === 'failed' || state === 'refused') && result && !isOpen && (
        <p className={styles['complaint']}>{escapeLine(firstLine(result).slice(0, SUBJECT))}</p>
      )}
    </div>
  );
}

function Details({ args, result, diffs = [] }: ToolEntry) {
  return (
    <div className={styles['details']}>
      {Object.entries(isRecord(args) ? args : { arguments: args }).map(([name, value]) => (
        <Part key={name} name={escapeLine(name)} text={textOf(value)} />
      ))}
      {diffs.map(({ path, diff, newText }, at) => (
        <Part key={at} name={`Change of ${escapeLine(path)}`} text={diff ?? newText ?? ''} />
      ))}
      {result !== undefined && <Part name="Result" text={result} />}
    </div>
  );
}

function Part({ name, text }: { name: string; text: string }) {
  const [isWhole, setWhole] = useState(text.length <= RESULT);
  return (
    <div>
      <p>{name}</p>
      <pre tabIndex={0}>{text === '' ? ' ' : shownText(isWhole ? text : text.slice(0, RESULT))}</pre>
      {!isWhole && (
        <button type="button" className="button quiet" onClick={() => setWhole(true)}>
          Show all {formatNumber(text.length)} characters
        </button>
      )}
    </div>
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
const firstLine = (text: string): string => text.trim().split('\n', 1)[0] ?? '';

/** What a call is about: the path or the command, else all of its arguments. */
function subjectOf(args: unknown): string {
  if (!isRecord(args)) return textOf(args);
  const main = args['path'] ?? args['file_path'] ?? args['command'] ?? args['url'] ?? args['query'];
  if (typeof main !== 'string') return JSON.stringify(args);
  return [main, ...(Array.isArray(args['args']) ? args['args'] : [])].map(String).join(' ');
}
