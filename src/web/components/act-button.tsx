import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useAway } from '../live/use-away.ts';
import { Problem } from './problem.tsx';

/** Does one thing: it waits for the daemon, and shows beneath it what the daemon says against it. */
export function ActButton({
  run,
  className = '',
  isDisabled = false,
  label,
  children,
}: {
  run: () => Promise<unknown>;
  className?: string;
  isDisabled?: boolean;
  /** For screen readers, where the same button stands in several rows. */
  label?: string;
  children: ReactNode;
}) {
  const isAway = useAway();
  const act = useMutation({ mutationFn: run });
  return (
    <>
      <button
        type="button"
        className={`button ${className}`}
        aria-label={label}
        disabled={isDisabled || isAway || act.isPending}
        onClick={() => act.mutate()}
      >
        {children}
      </button>
      {act.error && <Problem error={act.error} />}
    </>
  );
}
