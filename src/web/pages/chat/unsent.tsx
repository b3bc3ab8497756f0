import { splitAttachments } from '../../../contract/attachments.ts';
import { Problem } from '../../components/problem.tsx';
import type { ChatSession } from './chat-session.ts';
import type { Outgoing } from './outgoing.ts';
import { shownText } from './shown-text.ts';
import styles from './unsent.module.css';

/** The messages that the daemon does not have: those that wait for the end of a turn, and those that did not reach it. */
export function Unsent({
  outgoing,
  session,
  isBusy,
}: {
  outgoing: readonly Outgoing[];
  session: ChatSession;
  isBusy: boolean;
}) {
  if (outgoing.length === 0) return null;
  return (
    <ul className={styles['list']} aria-label="Messages that are not sent yet">
      {outgoing.map(({ key, content, state, error }) => (
        <li key={key}>
          {error && <Problem error={error} />}
          <span className={styles['row']}>
            <span className={styles['content']}>{shownText(splitAttachments(content).message)}</span>
            <span className="muted">{words[state]}</span>
            {state !== 'sending' && !isBusy && (
              <button type="button" className="button quiet" onClick={() => session.sendAgain(key)}>
                Send
              </button>
            )}
            {state !== 'sending' && (
              <button type="button" className="button quiet" onClick={() => session.takeBack(key)}>
                Remove
              </button>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

const words: Record<Outgoing['state'], string> = {
  sending: 'Sending…',
  queued: 'Queued',
  failed: 'Not sent',
};
