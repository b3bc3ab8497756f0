import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { sessionQuery } from '../queries/session.ts';

/** Whether this browser belongs to a device that may only look, decide and cancel. */
export function useIsLimited(): boolean {
  const { data } = useQuery(sessionQuery);
  return data?.authenticated === true && data.device?.limited === true;
}

/** What a limited device may not do, and so does not show. */
export const UnlessLimited = ({ children }: { children: ReactNode }) => (useIsLimited() ? null : children);

/** Whether a limited device has a use for the page at a path. */
export const isForLimited = (path: string): boolean =>
  /^\/(?:$|tasks\/?$|tasks\/(?!new\/?$)|approvals\/|settings\/?$|settings\/(?:general|notifications)\/?$)/.test(
    path,
  );
