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
type SignedIn = Exclude<Session, SignedOut>;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: (): Promise<Session> =>
    client.auth.getMe().then(
      (session) => {
        setReader(session.user);
        return session;
      },
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 401) return error.body as Session;
        throw error;
      },
    ),
});

/** The administrator who is signed in, if one is. */
export const adminOf = (session: Session | undefined): SignedIn['user'] | undefined =>
  session?.authenticated && session.user.role === 'admin' ? session.user : undefined;
