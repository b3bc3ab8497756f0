import { useQuery } from '@tanstack/react-query';
import { sessionQuery } from './session.ts';

/** Whether the person is an administrator; undefined until that is known. */
export function useAdmin(): boolean | undefined {
  const { data: session } = useQuery(sessionQuery);
  return session?.authenticated ? session.user.role === 'admin' : undefined;
}
