import { memo, useState } from 'react';
import { splitAttachments } from '../../../contract/attachments.ts';
import { escapeLine } from '../../../contract/escape-text.ts';
import { formatDuration } from '../../components/time.tsx';
import { AnswerText } from './answer-text.tsx';
import { SentFiles } from './attached-files.tsx';
import { shownText } from './shown-text.ts';
import { ToolRow } from './tool-row.tsx';
import type { Entry } from './turn.ts';
import styles from './transcript.module.css';

/** One thing that was said or done. */
export const EntryView = memo(({ entry }: { entry: Entry }) => {
  switch (entry.kind) {
    case 'person':
      return <Said text={entry.text} />;
    case 'text':
      return <AnswerText text={entry.text} />;
    case 'thinking':
      return <Thinking {...entry} />;
    case 'tool':
      return <ToolRow call={entry} />;
    case 'plan':
      return (
        <ul className={styles['plan']} aria-label="Plan">
          {entry.steps.map(({ text, status }, at) => (
            <li key={at} data-status={status}>
              {escapeLine(text)} <span className="muted">{escapeLine(status.replaceAll('_', ' '))}</span>
            </li>
          ))}
        </ul>
      );
    case 'note':
      return (
        <p className={styles['note']} data-tone={entry.tone}>
          {shownText(entry.text)}
          {entry.next && <span>{entry.next}</span>}
        </p>
      );
  }
});
EntryView.displayName = 'EntryView';

function Said({ text }: { text: string }) {
  const { message, attachments } = splitAttachments(text);
  return (
    <div className={styles['person']}>
      <span className="visually-hidden">You: </span>
      {shownText(message)}
      <SentFiles attachments={attachments} />
    </div>
  );
}

function Thinking({ text, startedAt, endedAt }: Extract<Entry, { kind: 'thinking' }>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      className={styles['fold']}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {endedAt === undefined ? 'Thinking…' : `Thought for ${formatDuration(endedAt - startedAt)}`}
      </summary>
      {isOpen && <div className={styles['thought']}>{shownText(text)}</div>}
    </details>
  );
}
