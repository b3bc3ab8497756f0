import { useEffect } from 'react';
import { problemCookie } from '../../contract/locations.ts';
import { ownPath } from '../../contract/own-path.ts';
import type { Session } from '../queries/session.ts';
import { EntryCard } from './entry-card.tsx';
import { LinkSignIn } from './link-sign-in.tsx';
import { SignIn } from './sign-in.tsx';

/** Takes what a sign-in elsewhere was refused for, so that it is shown once. */
function takeProblem(): string | undefined {
  const start = `${problemCookie}=`;
  const value = document.cookie
    .split('; ')
    .find((each) => each.startsWith(start))
    ?.slice(start.length);
  if (!value) return undefined;
  document.cookie = `${problemCookie}=; Max-Age=0; Path=/; SameSite=Lax`;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Takes the token of a sign-in link out of the address, so that the history of the browser does not keep it. */
function takeToken(): string {
  const token = location.hash.slice(1);
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

// Once for the page, and not in a component: React may render one twice, and the second time there is nothing left.
const arrived = {
  token: takeToken(),
  problem: takeProblem(),
  returnTo: ownPath(new URLSearchParams(location.search).get('returnTo')),
};

/** `/sign-in`: redeems a link, or signs in and continues at `returnTo`, a path of this daemon. */
export function SignInPage({ session }: { session: Session | undefined }) {
  const { token, problem, returnTo } = arrived;
  const isLink = token !== '';
  const isDone = !isLink && problem === undefined && session?.authenticated === true;
  useEffect(() => {
    if (isDone) location.replace(returnTo);
  }, [isDone, returnTo]);
  if (isLink) return <LinkSignIn token={token} />;
  if (!session || isDone) return null;
  const refusal = problem !== undefined && (
    <div role="alert" className="problem">
      <p>{problem}</p>
    </div>
  );
  if (!session.authenticated)
    return (
      <SignIn session={session} returnTo={returnTo}>
        {refusal}
      </SignIn>
    );
  return (
    <EntryCard title="That did not work">
      {refusal}
      <a className="button" href={returnTo}>
        Continue
      </a>
    </EntryCard>
  );
}
