import { apiTable } from '../../contract/route-table.ts';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { formText } from '../components/form-text.ts';
import { client } from '../client.ts';
import { queryClient } from '../queries/query-client.ts';
import { sessionQuery, type SignedOut } from '../queries/session.ts';
import { AttemptForm } from './attempt-form.tsx';
import { EntryCard } from './entry-card.tsx';
import styles from './sign-in.module.css';

interface SignInProps {
  session: SignedOut;
  /** The path where GitHub sends the browser back to. */
  returnTo: string;
}

/** The whole window, for who opens svc without a session. */
export const SignIn = ({ children, ...way }: SignInProps & { children?: ReactNode }) => (
  <EntryCard title="Sign in to svc">
    {children}
    <SignInForms {...way} />
  </EntryCard>
);

/** Over the page, whose content stays, for who was signed in until now. */
export const SignInOver = (way: SignInProps) => (
  <Dialog title="Sign in again" onClose={() => undefined}>
    <p>Your session has ended. Sign in to continue where you were.</p>
    <SignInForms {...way} />
  </Dialog>
);

/** Reads everything again that was refused meanwhile. */
async function enter(): Promise<void> {
  await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
  await queryClient.invalidateQueries();
}

const signUpWords = {
  open: 'Create an account',
  invite: 'Sign up with an invite',
  setup_code: 'Create the first account',
};

function SignInForms({ session, returnTo }: SignInProps) {
  const { authMode, accessKeyRequired, githubSignIn, signUp } = session;
  const hasKey = authMode === 'local' && accessKeyRequired;
  const [way, setWay] = useState<'key' | 'password'>(hasKey ? 'key' : 'password');
  return (
    <>
      {way === 'key' ? <KeyForm /> : <PasswordForm />}
      {githubSignIn && <GithubLink returnTo={returnTo}>Sign in with GitHub</GithubLink>}
      {hasKey && (
        <button
          type="button"
          className="button quiet"
          onClick={() => setWay(way === 'key' ? 'password' : 'key')}
        >
          {way === 'key' ? 'Sign in with e-mail and password' : 'Sign in with the access key'}
        </button>
      )}
      <p className={styles['other']}>
        <a href="/sign-up">{signUpWords[signUp]}</a>
      </p>
      {authMode === 'local' && (
        <p className="muted">
          On the machine of the daemon, <code>svc ui</code> opens this page signed in, and{' '}
          <code>svc auth link</code> prints a link for another browser.
        </p>
      )}
    </>
  );
}

/** Leads to GitHub, which sends the browser back to the path. */
export const GithubLink = ({ returnTo, children }: { returnTo: string; children: ReactNode }) => (
  <a className="button" href={`${apiTable.oauth.startGithub.path}?returnTo=${encodeURIComponent(returnTo)}`}>
    {children}
  </a>
);

const KeyForm = () => (
  <AttemptForm
    submit="Sign in"
    run={(data) => client.auth.verifyAccessKey({ body: { key: formText(data, 'key') } }).then(enter)}
  >
    <label>
      Access key
      <input name="key" type="password" autoComplete="current-password" required autoFocus />
    </label>
  </AttemptForm>
);

const PasswordForm = () => (
  <AttemptForm
    submit="Sign in"
    run={(data) =>
      client.auth
        .login({ body: { email: formText(data, 'email'), password: formText(data, 'password') } })
        .then(enter)
    }
  >
    <label>
      E-mail
      <input name="email" type="email" autoComplete="username" required autoFocus />
    </label>
    <label>
      Password
      <input name="password" type="password" autoComplete="current-password" required />
    </label>
  </AttemptForm>
);
