import type { Attachment } from '../../../contract/attachments.ts';
import { countLines } from '../../../contract/attachments.ts';
import { escapeLine } from '../../../contract/escape-text.ts';
import { Icon } from '../../components/icon.tsx';
import { shownText } from './shown-text.ts';
import styles from './attached-files.module.css';

/** What goes with a message that is being written. */
export function FilesToSend({
  attachments,
  onRemove,
}: {
  attachments: readonly Attachment[];
  onRemove: (name: string) => void;
}) {
  if (attachments.length === 0) return null;
  return (
    <ul className={styles['files']} aria-label="Attached files">
      {attachments.map(({ name, text }) => (
        <li key={name} className={styles['file']}>
          <Icon name="paperclip" size={14} />
          <span className={styles['name']}>{escapeLine(name)}</span>
          <span className="muted">{countLines(text)}</span>
          <button
            type="button"
            className="button quiet icon"
            aria-label={`Remove ${name}`}
            onClick={() => onRemove(name)}
          >
            <Icon name="x" size={14} />
          </button>
        </li>
      ))}
    </ul>
  );
}

/** What went with a message, each to open. */
export const SentFiles = ({ attachments }: { attachments: readonly Attachment[] }) =>
  attachments.map(({ name, text, kind }) => (
    <details key={name} className={styles['sent']}>
      <summary>
        <Icon name={kind === 'file' ? 'paperclip' : 'terminal'} size={14} />
        <span className={styles['name']}>{escapeLine(name)}</span>
        <span className="muted">{countLines(text)}</span>
      </summary>
      <pre tabIndex={0} role="group" aria-label={name}>
        {shownText(text)}
      </pre>
    </details>
  ));
