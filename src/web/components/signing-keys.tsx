import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { SigningKey } from '../../contract/keys.ts';
import { visibleLine } from '../../contract/visible-text.ts';
import { client } from '../client.ts';
import { useAway } from '../live/use-away.ts';
import { queryClient } from '../queries/query-client.ts';
import { signingKeysQuery } from '../queries/signing-keys.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';
import { Empty } from './empty.tsx';
import { Item, Items } from './items.tsx';
import { Loading } from './loading.tsx';
import { Problem } from './problem.tsx';
import { Ago } from './time.tsx';

/** The browsers and machines that sign the decisions of the person, each of which can be taken away. */
export function SigningKeys() {
  const { data: keys, error, refetch } = useQuery(signingKeysQuery);
  const [leaving, setLeaving] = useState<SigningKey>();
  const isAway = useAway();
  if (error) return <Problem error={error} onRetry={() => void refetch()} />;
  if (!keys) return <Loading />;
  if (keys.length === 0)
    return (
      <Empty>
        Browsers and machines that sign your decisions. Each makes its key when you first allow or deny a call
        there.
      </Empty>
    );
  return (
    <>
      <Items label="Keys that sign your decisions">
        {keys.map((key) => (
          <Item
            key={key.id}
            title={titleOf(key)}
            badge={key.current && <span className="muted">this browser</span>}
            note={
              <>
                {key.algorithm === 'ed25519' ? 'Ed25519' : 'P-256'}, made <Ago at={key.createdAt} />
                {key.lastUsedAt && (
                  <>
                    , last signed <Ago at={key.lastUsedAt} />
                  </>
                )}
              </>
            }
            actions={
              <button
                type="button"
                className="button quiet"
                aria-label={`Remove the key of ${visibleLine(key.name)}`}
                disabled={isAway}
                onClick={() => setLeaving(key)}
              >
                Remove
              </button>
            }
          />
        ))}
      </Items>
      {leaving && (
        <ConfirmDialog
          title={`Remove the key of ${visibleLine(leaving.name)}?`}
          verb="Remove"
          run={async () => {
            await client.keys.remove({ params: { id: leaving.id } });
            await queryClient.invalidateQueries({ queryKey: signingKeysQuery.queryKey });
          }}
          onClose={() => setLeaving(undefined)}
        >
          {leaving.current
            ? 'This browser makes a new key with your next decision.'
            : 'It signs no more decisions, until you sign in there again. To sign it out as well, end its session.'}
        </ConfirmDialog>
      )}
    </>
  );
}

/** Its name, as the beginning of a line. */
function titleOf({ name }: SigningKey): string {
  const text = visibleLine(name);
  return text.charAt(0).toUpperCase() + text.slice(1);
}
