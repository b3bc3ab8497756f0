import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ApiError } from '../../contract/client.ts';
import { Problem } from '../components/problem.tsx';
import { formatCountdown, useNow } from '../components/time.tsx';
import styles from './sign-in.module.css';

/** A form that the daemon may refuse for a while: it says when to try again, and waits until then. */
export function AttemptForm({
  submit,
  run,
  children,
}: {
  submit: string;
  run: (data: FormData) => Promise<unknown>;
  children: ReactNode;
}) {
  const now = useNow();
  const [until, setUntil] = useState(0);
  const attempt = useMutation({
    mutationFn: run,
    onError: (error) =>
      setUntil(error instanceof ApiError && error.retryAfter ? Date.now() + error.retryAfter * 1000 : 0),
  });
  const left = until - now;
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        if (!attempt.isPending && left <= 0) attempt.mutate(new FormData(event.currentTarget));
      }}
    >
      {children}
      {attempt.error && <Problem error={attempt.error} />}
      <button className="button primary" disabled={attempt.isPending || left > 0}>
        {left > 0 ? `Try again in ${formatCountdown(left)}` : submit}
      </button>
    </form>
  );
}
