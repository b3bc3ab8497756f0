import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Empty } from '../../../components/empty.tsx';
import { Items } from '../../../components/items.tsx';
import { tokensQuery } from '../../../queries/access.ts';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';
import { type CreatedToken, NewToken } from './new-token.tsx';
import { TokenForm } from './token-form.tsx';
import { TokenItem } from './token-item.tsx';

/** The tokens with which programs act for the person. */
export function TokensSection() {
  const tokens = useQuery(tokensQuery);
  const [created, setCreated] = useState<CreatedToken>();
  return (
    <>
      <SettingsGroup title="New token" hint="A program that has it acts for you, within its scopes.">
        {created ? (
          <NewToken created={created} onClose={() => setCreated(undefined)} />
        ) : (
          <TokenForm onCreated={setCreated} />
        )}
      </SettingsGroup>
      <SettingsGroup title="Your tokens">
        <Read query={tokens} rows={3}>
          {(list) =>
            list.length === 0 ? (
              <Empty>There are no API tokens yet. Create one above, and a program can use the API.</Empty>
            ) : (
              <Items label="Your tokens">
                {list.map((token) => (
                  <TokenItem key={token.id} token={token} />
                ))}
              </Items>
            )
          }
        </Read>
      </SettingsGroup>
    </>
  );
}
