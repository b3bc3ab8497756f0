import { lazyPart } from '../../../components/lazy-part.ts';
import { Suspense, useState } from 'react';
import { escapeLine, escapeText } from '../../../../contract/escape-text.ts';
import type { FileChange } from '../../../components/diff-view.tsx';
import { Icon } from '../../../components/icon.tsx';
import { formatDuration, formatExact, useNow } from '../../../components/time.tsx';
import type { CallDiff, CallRow } from '../../../live/timeline-rows.ts';
import styles from './timeline.module.css';
import { formatNumber } from '../../../components/format-number.ts';

// Few calls change files, and they are closed at first.
const DiffView = lazyPart(() => import('../../../components/diff-view.tsx'), 'DiffView');

/** More of a result is shown when it is asked for. */
const MOST = 10_000;

const words: Record<CallRow['state'], string> = {
  running: 'running',
  asking: 'needs approval',
  ok: 'ok',
  failed: 'failed',
  refused: 'refused',
  stopped: 'stopped',
};

/** A call of a tool with its result and how long it took. */
export function CallItem({ row }: { row: CallRow }) {
  const [isOpen, setOpen] = useState(false);
  const { name, state, startedAt } = row;
  const fields = fieldsOf(row.arguments);
  return (
    <li className={styles['row']} data-state={state}>
      <details
        className={styles['call']}
        open={isOpen}
        onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
      >
        <summary>
          <Icon name="chevron-right" size={14} className={styles['mark']} />
          <span className={styles['what']}>
            <code className={styles['name']}>{escapeLine(name)}</code>{' '}
            <span className={styles['argument']}>{escapeLine(mainOf(fields)).slice(0, 300)}</span>
          </span>
          <span className={styles['state']}>{words[state]}</span>
          <time className={styles['time']} dateTime={startedAt} title={formatExact(startedAt)}>
            <Took row={row} />
          </time>
        </summary>
        {isOpen && <CallBody row={row} fields={fields} />}
      </details>
    </li>
  );
}

function Took({ row: { state, startedAt, endedAt } }: { row: CallRow }) {
  const now = useNow();
  const ms = (endedAt ? Date.parse(endedAt) : now) - Date.parse(startedAt);
  if (endedAt) return formatDuration(ms);
  return state === 'running' ? formatDuration(Math.max(1000, Math.floor(ms / 1000) * 1000)) : '';
}

function CallBody({ row, fields }: { row: CallRow; fields: readonly [string, string][] }) {
  const { result, diff = [] } = row;
  return (
    <div className={styles['call-body']}>
      {fields.map(([name, text]) => (
        <Part key={name} title={name} text={text} />
      ))}
      <Suspense>{diff.length > 0 && <DiffView files={diff.map(changeOf)} />}</Suspense>
      {result !== undefined && result !== '' && <Part title="Result" text={result} />}
      {result === '' && <p className="muted">The result is empty.</p>}
    </div>
  );
}

function Part({ title, text }: { title: string; text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > MOST;
  return (
    <div>
      <h3 className={styles['part']}>{escapeLine(title)}</h3>
      <pre className={styles['pre']} tabIndex={0} role="group" aria-label={escapeLine(title)}>
        {escapeText(isCut ? text.slice(0, MOST) : text)}
      </pre>
      {isCut && (
        <button type="button" className="button quiet" onClick={() => setWhole(true)}>
          Show all {formatNumber(text.length)} characters
        </button>
      )}
    </div>
  );
}

/** Arguments as texts by name. */
function fieldsOf(value: unknown): [string, string][] {
  if (value === undefined || value === null) return [];
  if (typeof value !== 'object') return [['arguments', textOf(value)]];
  return Object.entries(value).map(([name, each]) => [name, textOf(each)]);
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');

/** The argument that says most about a call. */
const telling = ['command', 'path', 'file_path', 'url', 'query', 'pattern', 'prompt', 'description'];
const mainOf = (fields: readonly [string, string][]): string =>
  (telling.map((name) => fields.find(([each]) => each === name)).find(Boolean) ?? fields[0])?.[1] ?? '';

const changeOf = ({ path, oldText, newText, diff }: CallDiff): FileChange => ({
  path,
  ...(diff === undefined ? { texts: { before: oldText ?? '', after: newText ?? '' } } : { patch: diff }),
  ...(oldText === undefined && newText !== undefined && { status: 'added' as const }),
});
