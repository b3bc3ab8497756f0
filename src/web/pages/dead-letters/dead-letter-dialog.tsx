import { useState } from 'react';
import type { DeadLetter } from '../../../contract/dlq.ts';
import { escapeLine } from '../../../contract/escape-text.ts';
import { counted } from '../../components/counted.ts';
import { Dialog } from '../../components/dialog.tsx';
import { Field } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { problemText } from '../../components/problem.tsx';
import { type DeadLetterAction, deadLetterActions } from './dead-letter-actions.ts';
import { refreshDeadLetters } from './refresh-dead-letters.ts';
import styles from './dead-letters.module.css';
import { formatNumber } from '../../components/format-number.ts';

interface Outcome {
  done: ReadonlySet<string>;
  failed: readonly string[];
}

/** Does the same with each, one after the other, and says what could not be done. */
export function DeadLetterDialog({
  name,
  items: given,
  onClose,
}: {
  name: DeadLetterAction;
  items: readonly DeadLetter[];
  /** Called with what was done. */
  onClose: (done: ReadonlySet<string>) => void;
}) {
  const { verb, done: past, means, run } = deadLetterActions[name];
  /** The list changes while it is worked through. */
  const [items] = useState(given);
  const [at, setAt] = useState<number>();
  const [outcome, setOutcome] = useState<Outcome>();
  const close = () => {
    // What has begun is finished, so that it can be said what was done.
    if (at !== undefined && !outcome) return;
    // Not before: what is done leaves the list, and with it the card that opened this.
    if (outcome) void refreshDeadLetters();
    onClose(outcome?.done ?? new Set());
  };
  const submit = async (data: FormData) => {
    const note = formText(data, 'note').trim();
    const done = new Set<string>();
    const failed: string[] = [];
    for (const [index, { id, title }] of items.entries()) {
      setAt(index);
      await run(id, note).then(
        () => done.add(id),
        (error: unknown) => failed.push(`${escapeLine(title)}: ${problemText(error)}`),
      );
    }
    setOutcome({ done, failed });
  };
  const title = items.length === 1 ? escapeLine(items[0]?.title ?? '') : counted(items.length, 'task');
  return (
    <Dialog title={`${verb} ${title}?`} onClose={close}>
      {outcome ? (
        <>
          <p role="status">
            {counted(outcome.done.size, 'task')} {past}.
          </p>
          {outcome.failed.length > 0 && (
            <ul role="alert" className="error">
              {outcome.failed.map((line, index) => (
                <li key={index}>{line}</li>
              ))}
            </ul>
          )}
          <div className={styles['actions']}>
            <button type="button" className="button primary" onClick={close} autoFocus>
              Close
            </button>
          </div>
        </>
      ) : (
        <Form
          submit={items.length === 1 ? verb : `${verb} ${formatNumber(items.length)}`}
          onSubmit={submit}
          onCancel={close}
        >
          <p>{means}</p>
          {name === 'resolve' && (
            <Field name="note" label="Note" hint="Optional. What you did about it.">
              {(control) => <input {...control} maxLength={2000} autoFocus />}
            </Field>
          )}
          {at !== undefined && (
            <p role="status">
              {at} of {items.length} done
            </p>
          )}
        </Form>
      )}
    </Dialog>
  );
}
