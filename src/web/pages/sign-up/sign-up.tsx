import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { FieldProblems } from '../../components/form/field-problems.ts';
import { Field } from '../../components/form/field.tsx';
import { Form } from '../../components/form/form.tsx';
import { formText } from '../../components/form-text.ts';
import { Problem } from '../../components/problem.tsx';
import { client } from '../../client.ts';
import { sessionQuery } from '../../queries/session.ts';
import { EntryCard } from '../../shell/entry-card.tsx';
import { GithubLink } from '../../shell/sign-in.tsx';

/** Takes the invite out of the address, so that the history of the browser does not keep it. */
function takeInvite(): string {
  const invite = new URLSearchParams(location.search).get('invite') ?? '';
  if (location.search !== '') history.replaceState(history.state, '', location.pathname);
  return invite;
}

// Once for the page, and not in a component, which React may render twice.
const invite = takeInvite();

const hints = {
  open: 'Only if you have one.',
  invite: 'An administrator of this daemon creates it.',
  setup_code: 'It is in a file in the data directory of the daemon.',
};

/** Creates an account, with the invite of a link or a code, or without where sign-up is open. */
export function SignUpPage() {
  const { data: session, error, refetch } = useQuery(sessionQuery);
  useEffect(() => {
    document.title = 'Sign up · svc';
  }, []);
  if (error && !session)
    return (
      <EntryCard title="Create an account">
        <Problem error={error} onRetry={() => void refetch()} />
      </EntryCard>
    );
  if (!session) return null;
  const needs = session.authenticated ? 'open' : session.signUp;
  const codeName = needs === 'setup_code' ? 'Setup code' : 'Invite code';
  const submit = async (data: FormData): Promise<FieldProblems | undefined> => {
    const inviteCode = formText(data, 'inviteCode').trim() || invite;
    if (inviteCode === '' && needs !== 'open')
      return new Map([['inviteCode', `Enter the ${codeName.toLowerCase()}.`]]);
    await client.auth.signup({
      body: {
        name: formText(data, 'name'),
        email: formText(data, 'email'),
        password: formText(data, 'password'),
        ...(inviteCode !== '' && { inviteCode }),
      },
    });
    // Nothing that was read for another session stays.
    location.assign('/');
    return undefined;
  };
  return (
    <EntryCard title={needs === 'setup_code' ? 'Create the first account' : 'Create an account'}>
      {invite !== '' && <p>You have an invite to this svc. It creates one account.</p>}
      {session.authenticated && (
        <p className="muted">
          You are signed in as {session.user.name}. A new account replaces that in this browser.
        </p>
      )}
      <Form submit="Create account" onSubmit={submit}>
        <Field name="name" label="Name">
          {(control) => <input {...control} autoComplete="name" maxLength={100} autoFocus />}
        </Field>
        <Field name="email" label="E-mail">
          {(control) => <input {...control} type="email" autoComplete="username" />}
        </Field>
        <Field name="password" label="Password" hint="At least 8 characters, with a letter and a number.">
          {(control) => <input {...control} type="password" autoComplete="new-password" />}
        </Field>
        {invite === '' && (
          <Field name="inviteCode" label={codeName} hint={hints[needs]}>
            {(control) => <input {...control} autoComplete="off" spellCheck={false} />}
          </Field>
        )}
      </Form>
      {!session.authenticated && session.githubSignIn && needs !== 'setup_code' && (
        <>
          <GithubLink returnTo="/">Continue with GitHub</GithubLink>
          {needs === 'invite' && (
            <p className="muted">
              GitHub works if the invite is for the verified e-mail address of your GitHub account.
            </p>
          )}
        </>
      )}
      <p>
        <a href="/">{session.authenticated ? 'Back to svc' : 'Sign in instead'}</a>
      </p>
    </EntryCard>
  );
}
