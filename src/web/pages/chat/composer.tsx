import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { attach } from '../../../contract/attachments.ts';
import { escapeLine } from '../../../contract/escape-text.ts';
import { Icon } from '../../components/icon.tsx';
import { live } from '../../live/live-feed.ts';
import { FilesToSend } from './attached-files.tsx';
import { type Draft, draftOf, keepDraft } from './drafts.ts';
import { readFiles } from './read-files.ts';
import { FileButton } from './file-button.tsx';
import { MessageSettings, type SettingsProps } from './message-settings.tsx';
import styles from './composer.module.css';

interface ComposerProps extends SettingsProps {
  /** Which text was begun and not sent. */
  draftKey: string;
  /** An agent answers with its own model and tools. */
  hasAgent: boolean;
  /** Nothing can be sent at the moment. */
  isBusy?: boolean;
  /** Something is answered, and the next message waits. */
  isRunning?: boolean;
  /** A rejected message stays in the box. */
  onSend: (content: string) => void | Promise<void>;
  onStop?: () => void;
  /** Above the box, and with it always in view. */
  children?: ReactNode;
}

/** Where a message is written, with how it is answered. */
export function Composer(props: ComposerProps) {
  const {
    draftKey,
    hasAgent,
    settings,
    onSettings,
    isBusy = false,
    isRunning = false,
    onSend,
    onStop,
    children,
  } = props;
  const isAway = useSyncExternalStore(live.onState, live.state) === 'away';
  const [draft, setDraft] = useState(() => draftOf(draftKey));
  const [refusals, setRefusals] = useState<readonly string[]>([]);
  const { text, attachments } = draft;
  const isEmpty = text.trim() === '' && attachments.length === 0;
  const box = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // On a phone that would open the keyboard.
    if (matchMedia('(pointer: fine)').matches) box.current?.focus({ preventScroll: true });
  }, []);
  const change = (next: Draft) => {
    setDraft(next);
    keepDraft(draftKey, next);
  };
  const send = async () => {
    if (isEmpty || isBusy || isAway) return;
    change({ text: '', attachments: [] });
    setRefusals([]);
    try {
      await onSend(attach(text.trim() === '' ? 'See the attached files.' : text, attachments));
    } catch {
      // The page shows why.
      change(draft);
    }
  };
  const add = async (files: Iterable<File>) => {
    const read = await readFiles(files, attachments);
    setRefusals(read.refusals);
    // Somebody may have typed while the files were read.
    const { text: typed } = draftOf(draftKey);
    change({ text: typed, attachments: [...attachments, ...read.attachments] });
  };
  const receive = (event: ClipboardEvent | DragEvent, data: DataTransfer) => {
    if (data.files.length === 0) return;
    event.preventDefault();
    void add(data.files);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <div className={styles['dock']}>
      {children}
      <form
        className={styles['box']}
        onSubmit={(event) => {
          event.preventDefault();
          void send();
        }}
        onDragOver={(event) => event.dataTransfer.types.includes('Files') && event.preventDefault()}
        onDrop={(event) => receive(event, event.dataTransfer)}
      >
        <FilesToSend
          attachments={attachments}
          onRemove={(name) => change({ text, attachments: attachments.filter((each) => each.name !== name) })}
        />
        {refusals.length > 0 && (
          <p className={`error ${styles['refusals']}`} role="alert">
            {escapeLine(refusals.join(' '))}
          </p>
        )}
        <label className="visually-hidden" htmlFor="message">
          Message
        </label>
        <textarea
          id="message"
          ref={box}
          rows={1}
          value={text}
          maxLength={1_000_000}
          placeholder={isRunning ? 'Send another message after this answer' : 'Message'}
          onChange={({ target }) => change({ text: target.value, attachments })}
          onKeyDown={onKeyDown}
          onPaste={(event) => receive(event, event.clipboardData)}
        />
        <div className={styles['foot']}>
          <MessageSettings hasAgent={hasAgent} settings={settings} onSettings={onSettings} />
          <span className={styles['buttons']}>
            <FileButton onFiles={add} />
            {isRunning && (
              <button type="button" className="button" title="Stop (Esc)" onClick={onStop}>
                <Icon name="square" size={12} /> <span>Stop</span>
              </button>
            )}
            <button type="submit" className="button primary" disabled={isBusy || isAway || isEmpty}>
              <Icon name="arrow-up" /> <span>{isRunning ? 'Queue' : 'Send'}</span>
            </button>
          </span>
        </div>
      </form>
    </div>
  );
}
