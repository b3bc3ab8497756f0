import { useMutation } from '@tanstack/react-query';
import { ownPath } from '../../contract/own-path.ts';
import { client } from '../client.ts';
import { Problem } from '../components/problem.tsx';
import { EntryCard } from './entry-card.tsx';

/** Signs this browser in with a link. Anyone can send one, so a person has to confirm it. */
export function LinkSignIn({ token }: { token: string }) {
  const redeem = useMutation({
    mutationFn: () => client.auth.redeemSignInLink({ body: { token } }),
    // Everything that was read for another session is gone with the page.
    onSuccess: ({ returnTo }) => location.assign(ownPath(returnTo)),
  });
  return (
    <EntryCard title="Sign this browser in?">
      <p>
        This link signs this browser in to svc and replaces its current session. Continue only if you created
        it, with <code>svc ui</code> or <code>svc auth link</code>.
      </p>
      {redeem.error && <Problem error={redeem.error} />}
      <button
        type="button"
        className="button primary"
        disabled={redeem.isPending}
        onClick={() => redeem.mutate()}
      >
        Sign in
      </button>
      <a href="/">Cancel</a>
    </EntryCard>
  );
}
