import { useMutation } from '@tanstack/react-query';
import { type ReactNode, type SyntheticEvent, useRef, useState } from 'react';
import { useAway } from '../../live/use-away.ts';
import { Problem } from '../problem.tsx';
import { Problems } from './field.tsx';
import { type FieldProblems, fieldProblems } from './field-problems.ts';
import { useFirstProblem } from './use-first-problem.ts';
import styles from './form.module.css';

const none: FieldProblems = new Map();

/**
 * A form that waits for the daemon and shows what it says: at the field that is wrong, or else under all of them. Its fields are
 * `Field`s named as the daemon names them. While the daemon cannot be reached nothing is sent, and what was typed stays.
 */
export function Form({
  submit,
  onSubmit,
  onCancel,
  beside,
  isDangerous = false,
  done = '',
  children,
}: {
  /** What the button says. */
  submit: string;
  /** Sends the fields; answers what cannot be sent at all, by field. */
  onSubmit: (data: FormData) => Promise<FieldProblems | undefined | void>;
  onCancel?: (() => void) | undefined;
  /** More buttons after that of the form, such as to skip it. */
  beside?: ReactNode;
  isDangerous?: boolean;
  /** What is said after the daemon took it, until something is typed again. */
  done?: string;
  children: ReactNode;
}) {
  const isAway = useAway();
  const form = useRef<HTMLFormElement>(null);
  const isSending = useRef(false);
  const [own, setOwn] = useState(none);
  const send = useMutation({
    mutationFn: onSubmit,
    onSuccess: (problems) => setOwn(problems ?? none),
    onSettled: () => {
      isSending.current = false;
    },
  });
  const isField = (name: string) => Boolean(form.current?.elements.namedItem(name));
  const found = fieldProblems(send.error, isField);
  const problems = own.size > 0 ? own : found.problems;

  useFirstProblem(form, own, send.error);

  const onFormSubmit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    // Two clicks may come before the button is disabled.
    if (isSending.current || isAway) return;
    isSending.current = true;
    setOwn(none);
    send.mutate(new FormData(event.currentTarget));
  };
  return (
    <Problems value={problems}>
      <form
        ref={form}
        className={styles['form']}
        noValidate
        onSubmit={onFormSubmit}
        onInput={() => send.isSuccess && send.reset()}
      >
        {children}
        {send.error && !found.isComplete && <Problem error={send.error} />}
        <div className={styles['buttons']}>
          <button
            type="submit"
            className={`button ${isDangerous ? 'danger' : 'primary'}`}
            disabled={isAway || send.isPending}
          >
            {submit}
          </button>
          {onCancel && (
            <button type="button" className="button quiet" onClick={onCancel}>
              Cancel
            </button>
          )}
          {beside}
          <span className="muted" role="status">
            {isAway
              ? 'Reconnecting…'
              : problems.size > 0
                ? 'Check the marked fields.'
                : send.isSuccess && done}
          </span>
        </div>
      </form>
    </Problems>
  );
}

/** Fields side by side, where there is room. */
export const Fields = ({ children }: { children: ReactNode }) => (
  <div className={styles['fields']}>{children}</div>
);

/** Something to choose, with its words. */
export const Check = ({ children }: { children: ReactNode }) => (
  <label className={styles['check']}>{children}</label>
);
