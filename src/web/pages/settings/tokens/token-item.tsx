import { useState } from 'react';
import { escapeLine } from '../../../../contract/escape-text.ts';
import type { ApiToken } from '../../../../contract/tokens.ts';
import { client } from '../../../client.ts';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Item } from '../../../components/items.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { Ago, useNow } from '../../../components/time.tsx';
import { useAway } from '../../../live/use-away.ts';
import { tokensQuery } from '../../../queries/access.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { formatNumber } from '../../../components/format-number.ts';

/** A token with what it may do and when it was used. */
export function TokenItem({ token }: { token: ApiToken }) {
  const { id, name, scopes, prefix, createdAt, expiresAt, lastUsedAt } = token;
  const isAway = useAway();
  const [isAsked, setAsked] = useState(false);
  const now = useNow(20_000);
  const isOver = expiresAt !== undefined && Date.parse(expiresAt) <= now;
  return (
    <Item
      title={escapeLine(name)}
      badge={isOver && <StateBadge tone="calm">expired</StateBadge>}
      note={
        <>
          <code>{prefix}…</code> · {escapeLine([...scopes, ...limitsOf(token)].join(', '))}
          <p>
            Created <Ago at={createdAt} /> ·{' '}
            {lastUsedAt ? (
              <>
                last used <Ago at={lastUsedAt} />
              </>
            ) : (
              'never used'
            )}{' '}
            ·{' '}
            {expiresAt ? (
              <>
                {isOver ? 'expired' : 'expires'} <Ago at={expiresAt} />
              </>
            ) : (
              'does not expire'
            )}
          </p>
        </>
      }
      actions={
        <button
          type="button"
          className="button"
          aria-label={`Revoke ${escapeLine(name)}`}
          disabled={isAway}
          onClick={() => setAsked(true)}
        >
          Revoke
        </button>
      }
    >
      {isAsked && (
        <ConfirmDialog
          title={`Revoke ${escapeLine(name)}?`}
          verb="Revoke"
          run={async () => {
            await client.tokens.revoke({ params: { id } });
            await queryClient.invalidateQueries({ queryKey: tokensQuery.queryKey });
          }}
          onClose={() => setAsked(false)}
        >
          <p>Programs that use it are refused at once.</p>
        </ConfirmDialog>
      )}
    </Item>
  );
}

/** What limits the token, in words. */
function limitsOf(token: ApiToken): string[] {
  const { models = [], tokensPerDay, tokensPerMonth, tokensPerMinute } = token;
  const { costPerDay, costPerMonth, requestsPerMinute } = token;
  const amounts: [number | undefined, string][] = [
    [tokensPerDay, 'model tokens per day'],
    [costPerDay, 'USD per day'],
    [tokensPerMonth, 'model tokens per month'],
    [costPerMonth, 'USD per month'],
    [requestsPerMinute, 'requests per minute'],
    [tokensPerMinute, 'tokens per minute'],
  ];
  return [
    ...models.map((model) => `model ${model}`),
    ...amounts.flatMap(([amount, unit]) => (amount === undefined ? [] : [`${formatNumber(amount)} ${unit}`])),
  ];
}
