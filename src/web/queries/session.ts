import { queryOptions } from '@tanstack/react-query';
import { ApiError } from '../../contract/client.ts';
import type { User } from '../../contract/users.ts';
import { client } from '../client.ts';
import { setReader } from '../components/reader.ts';

/** Who uses this browser, or how to sign in. */
export type Session =
  | {
      authenticated: true;
      authMode: 'local' | 'cloud';
      user: User;
      device?: { id: string; limited: boolean } | undefined;
    }
  | {
      authenticated: false;
      authMode: 'local' | 'cloud';
      accessKeyRequired: boolean;
      githubSignIn: boolean;
      signUp: 'open' | 'invite' | 'setup_code';
    };
export type SignedOut = Extract<Session, { authenticated: false }>;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async (): Promise<Session> => {
    try {
      const session: Session = await client.auth.getMe();
      if (session.authenticated) setReader(session.user);
      return session;
    } catch (error) {
      if (error instanceof ApiError && error.status === 401) return error.body as Session;
      throw error;
    }
  },
});
