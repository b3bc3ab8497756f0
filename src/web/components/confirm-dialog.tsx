import { Dialog } from './dialog.tsx';
import { Field } from './form/field.tsx';
import { Form } from './form/form.tsx';
import { formText } from './form-text.ts';
import type { ReactNode } from 'react';

/** Asks before what cannot be taken back is done; `typed` has to be typed where the loss would be large. */
export function ConfirmDialog({
  title,
  verb,
  typed,
  run,
  onClose,
  children,
}: {
  title: string;
  verb: string;
  typed?: string;
  run: () => Promise<unknown>;
  onClose: () => void;
  /** What will be gone. */
  children: ReactNode;
}) {
  const submit = async (data: FormData) => {
    if (typed !== undefined && formText(data, 'typed').trim() !== typed)
      return new Map([['typed', `Type ${typed} to confirm.`]]);
    await run();
    onClose();
    return undefined;
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Form submit={verb} onSubmit={submit} onCancel={onClose} isDangerous>
        <div>{children}</div>
        {typed !== undefined && (
          <Field name="typed" label={`Type ${typed} to confirm`}>
            {(control) => <input {...control} autoComplete="off" spellCheck={false} autoFocus />}
          </Field>
        )}
      </Form>
    </Dialog>
  );
}
