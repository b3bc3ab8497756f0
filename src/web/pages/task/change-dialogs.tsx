import type { FormEvent } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { formText } from '../../components/form-text.ts';
import styles from './task.module.css';

/** Asks for the message of a commit; without one it is the title of the task. */
export function CommitDialog({
  title,
  onClose,
  onCommit,
}: {
  title: string;
  onClose: () => void;
  onCommit: (body: { message?: string }) => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const message = formText(new FormData(event.currentTarget), 'message').trim();
    onCommit(message === '' ? {} : { message });
  };
  return (
    <Dialog title="Commit the changes" onClose={onClose}>
      <form className={styles['form']} onSubmit={submit}>
        <label>
          Message
          <textarea name="message" rows={4} maxLength={10_000} placeholder={title} autoFocus />
        </label>
        <FormButtons name="Commit" onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** Asks what a pull request says; the daemon adds what is known of the task. */
export function PullRequestDialog({
  title,
  onClose,
  onOpen,
}: {
  title: string;
  onClose: () => void;
  onOpen: (body: { title?: string; body?: string; draft: boolean }) => void;
}) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const data = new FormData(event.currentTarget);
    const name = formText(data, 'title').trim();
    const text = formText(data, 'body').trim();
    onOpen({ ...(name && { title: name }), ...(text && { body: text }), draft: data.has('draft') });
  };
  return (
    <Dialog title="Open a pull request" onClose={onClose}>
      <form className={styles['form']} onSubmit={submit}>
        <label>
          Title
          <input name="title" maxLength={256} placeholder={title} autoFocus />
        </label>
        <label>
          Description
          <textarea name="body" rows={6} maxLength={50_000} />
        </label>
        <label className={styles['check-field']}>
          <input type="checkbox" name="draft" /> Draft
        </label>
        <FormButtons name="Open pull request" onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** The buttons at the end of a form in a dialog. */
export const FormButtons = ({
  name,
  isBusy = false,
  onClose,
}: {
  name: string;
  isBusy?: boolean;
  onClose: () => void;
}) => (
  <div className={styles['form-buttons']}>
    <button type="button" className="button" onClick={onClose}>
      Cancel
    </button>
    <button type="submit" className="button primary" disabled={isBusy}>
      {name}
    </button>
  </div>
);
