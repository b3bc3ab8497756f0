import type { Invite } from '../../../../contract/invites.ts';
import { CopiedValue } from '../../../components/copied-value.tsx';
import { Ago } from '../../../components/time.tsx';
import { Revealed } from '../revealed.tsx';

export interface NewInvite {
  invite: Invite;
  code: string;
}

/** The link of an invite, which is shown only now, and the command that does the same. */
export const NewInviteCode = ({
  made: { invite, code },
  onClose,
}: {
  made: NewInvite;
  onClose: () => void;
}) => (
  <Revealed title="Invite created" onClose={onClose}>
    <p>
      Send this link now; it is shown only once. It creates one account as {invite.role} and expires{' '}
      <Ago at={invite.expiresAt} />.
    </p>
    <CopiedValue name="invite link" value={`${location.origin}/sign-up?invite=${encodeURIComponent(code)}`} />
    <p>In a terminal, this signs up with it:</p>
    <CopiedValue
      name="sign-up command"
      value={`svc auth signup --url ${location.origin} --invite ${code}${invite.email === undefined ? '' : ` --email ${invite.email}`}`}
    />
  </Revealed>
);
