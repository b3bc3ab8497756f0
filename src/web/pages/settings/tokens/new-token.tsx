import type { client } from '../../../client.ts';
import { CopiedValue } from '../../../components/copied-value.tsx';
import { Ago } from '../../../components/time.tsx';
import { Revealed } from '../revealed.tsx';

export type CreatedToken = Awaited<ReturnType<typeof client.tokens.create>>;

/** The token, which is shown only now. */
export const NewToken = ({
  created: { token, expiresAt, notifySecret },
  onClose,
}: {
  created: CreatedToken;
  onClose: () => void;
}) => (
  <Revealed title="Token created" onClose={onClose}>
    <p>
      Store it now; it is shown only once. It{' '}
      {expiresAt === undefined ? (
        'is valid until it is revoked.'
      ) : (
        <>
          expires <Ago at={expiresAt} />.
        </>
      )}
    </p>
    <CopiedValue name="token" value={token} />
    {notifySecret !== undefined && (
      <>
        <p>Notifications to a notifyUrl are signed with this secret, also shown only once:</p>
        <CopiedValue name="secret of notifications" value={notifySecret} />
      </>
    )}
  </Revealed>
);
