import { memo, type ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { escapeText } from '../../../../contract/escape-text.ts';
import { visibleLine } from '../../../../contract/visible-text.ts';
import { Icon } from '../../../components/icon.tsx';
import type { IconName } from '../../../components/icon-paths.ts';
import { Markdown } from '../../../components/markdown.tsx';
import { formatDuration, formatExact } from '../../../components/time.tsx';
import type {
  ApprovalRow,
  CheckRow,
  NoteRow,
  PlanRow,
  SaidRow,
  ThoughtRow,
  TimelineRow,
} from '../../../live/timeline-rows.ts';
import { WaitText } from '../waiting.tsx';
import { CallItem } from './call-item.tsx';
import styles from './timeline.module.css';

interface RowProps {
  row: TimelineRow;
  /** When its attempt began. */
  from: string;
  /** Whether nothing has happened since. */
  isLast: boolean;
}

/** One thing that happened. */
export const Row = memo(function Row({ row, from, isLast }: RowProps) {
  switch (row.kind) {
    case 'note':
      return <NoteItem row={row} from={from} />;
    case 'said':
      return <SaidItem row={row} from={from} />;
    case 'thought':
      return <ThoughtItem row={row} from={from} />;
    case 'call':
      return <CallItem row={row} />;
    case 'plan':
      return <PlanItem row={row} from={from} />;
    case 'approval':
      return <ApprovalItem row={row} from={from} />;
    case 'wait':
      return (
        <Item icon="clock" at={row.at} from={from}>
          <WaitText row={row} isCurrent={isLast} />
        </Item>
      );
    case 'check':
      return <CheckItem row={row} from={from} />;
  }
});

interface ItemProps {
  icon?: IconName;
  tone?: 'success' | 'danger' | 'attention' | undefined;
  at: string;
  from: string;
  children: ReactNode;
}

function Item({ icon, tone, at, from, children }: ItemProps) {
  return (
    <li className={styles['row']} data-tone={tone}>
      <span className={styles['sign']}>{icon ? <Icon name={icon} size={14} /> : <i />}</span>
      <div className={styles['body']}>{children}</div>
      <time className={styles['time']} dateTime={at} title={formatExact(at)}>
        +{formatDuration(Date.parse(at) - Date.parse(from))}
      </time>
    </li>
  );
}

function NoteItem({ row: { tone, text, at }, from }: { row: NoteRow; from: string }) {
  const known = tone === 'plain' ? undefined : tone;
  const icons = { success: 'circle-check', danger: 'circle-x' } as const;
  return (
    <Item at={at} from={from} tone={known} {...(known && { icon: icons[known] })}>
      {escapeText(text)}
    </Item>
  );
}

/** A text of one short line is shown as it is. */
const SHORT = 120;

function SaidItem({ row: { text, at }, from }: { row: SaidRow; from: string }) {
  const whole = text.trim();
  const [first = ''] = whole.split('\n', 1);
  return (
    <Item icon="message-square" at={at} from={from}>
      {whole.length <= SHORT && first === whole ? (
        escapeText(whole)
      ) : (
        <details className={styles['fold']}>
          <summary>
            <span className={styles['first']}>{escapeText(first)}</span>
          </summary>
          <Markdown text={whole} />
        </details>
      )}
    </Item>
  );
}

function ThoughtItem({ row: { text, at, endedAt }, from }: { row: ThoughtRow; from: string }) {
  const title = endedAt ? `Thought for ${formatDuration(Date.parse(endedAt) - Date.parse(at))}` : 'Thinking…';
  return (
    <Item icon="brain" at={at} from={from}>
      {text.trim() === '' ? (
        <span className="muted">{title}</span>
      ) : (
        <details className={styles['fold']}>
          <summary className="muted">{title}</summary>
          <p className={styles['thought']}>{escapeText(text.trim())}</p>
        </details>
      )}
    </Item>
  );
}

function PlanItem({ row: { entries, at }, from }: { row: PlanRow; from: string }) {
  const done = entries.filter(({ status }) => status === 'completed').length;
  return (
    <Item icon="list-todo" at={at} from={from}>
      Plan: {done} of {entries.length} done
      <ul className={styles['plan']}>
        {entries.map(({ text, status }, index) => (
          <li key={index} data-status={status}>
            <span aria-hidden>{status === 'completed' ? '☑' : status === 'in_progress' ? '▸' : '☐'}</span>
            <span>
              <span className="visually-hidden">{escapeText(status.replaceAll('_', ' '))}: </span>
              {escapeText(text)}
            </span>
          </li>
        ))}
      </ul>
    </Item>
  );
}

function ApprovalItem({ row: { approval, at, decidedAt }, from }: { row: ApprovalRow; from: string }) {
  const { id, toolName = 'A call', denialReason } = approval;
  return (
    <Item
      icon={decidedAt ? 'shield-check' : 'shield-question-mark'}
      tone={decidedAt ? undefined : 'attention'}
      at={decidedAt ?? at}
      from={from}
    >
      <Link to="/approvals/$id" params={{ id }}>
        <code>{visibleLine(toolName)}</code>
      </Link>
      : {decidedAt ? outcomeOf(approval) : 'needs approval'}
      {denialReason && <span className="muted"> “{escapeText(denialReason)}”</span>}
      {decidedAt && (
        <span className="muted"> after {formatDuration(Date.parse(decidedAt) - Date.parse(at))}</span>
      )}
    </Item>
  );
}

/** In the words of the decision; `decidedBy` is a name. */
function outcomeOf({ status, decision, decidedBy }: ApprovalRow['approval']): string {
  const by = decidedBy ? ` by ${escapeText(decidedBy)}` : '';
  if (status === 'expired') return 'expired without a decision';
  if (decision === 'deny' || status === 'denied') return `denied${by}`;
  return decision === 'allow-always' ? `always allowed${by}` : `allowed${by}`;
}

function CheckItem({ row: { status, text, commands, at, endedAt }, from }: { row: CheckRow; from: string }) {
  const icon = status === undefined ? 'loader-circle' : status === 'passed' ? 'circle-check' : 'circle-x';
  return (
    <Item icon={icon} tone={status === 'failed' ? 'danger' : undefined} at={endedAt ?? at} from={from}>
      {status === undefined
        ? 'Verifying'
        : status === 'passed'
          ? 'Verification passed'
          : 'Verification failed'}
      {commands.length === 0 && `: ${escapeText(text)}`}
      <ul className={styles['commands']}>
        {commands.map(({ command, exitCode, durationMs }, index) => (
          <li key={index}>
            <code>{escapeText(command)}</code>{' '}
            {exitCode !== undefined && (
              <span className={exitCode === 0 ? 'muted' : 'error'}>
                {exitCode === null ? 'no exit code' : `exit code ${exitCode}`}
                {durationMs !== undefined && ` · ${formatDuration(durationMs)}`}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Item>
  );
}
