import { useQuery } from '@tanstack/react-query';
import { adminOf, sessionQuery } from './session.ts';

/** Whether an administrator uses this browser. */
export const useIsAdmin = (): boolean => adminOf(useQuery(sessionQuery).data) !== undefined;
