import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from './session.ts';

/** Whether an administrator uses this browser. */
export function useIsAdmin(): boolean {
  const { data: session } = useQuery(sessionQuery);
  return session?.authenticated === true && session.user.role === 'admin';
}
