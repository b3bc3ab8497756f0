import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Guard } from '../../../../contract/guards.ts';
import { client } from '../../../client.ts';
import { ActButton } from '../../../components/act-button.tsx';
import { ConfirmDialog } from '../../../components/confirm-dialog.tsx';
import { Item, Items } from '../../../components/items.tsx';
import { StateBadge } from '../../../components/state-badge.tsx';
import { guardsQuery } from '../../../queries/policy.ts';
import { queryClient } from '../../../queries/query-client.ts';
import { useAway } from '../../../live/use-away.ts';
import { Read } from '../read.tsx';
import { SettingsGroup } from '../settings-group.tsx';

/** What is checked of every call of a tool. */
export function GuardsSection() {
  const guards = useQuery(guardsQuery);
  return (
    <SettingsGroup
      title="Guards"
      hint="They check every call of a tool, in every mode, also calls that a person allowed."
    >
      <Read query={guards} rows={4}>
        {(list) => (
          <Items label="Guards">
            {list.map((guard) => (
              <GuardItem key={guard.name} guard={guard} />
            ))}
          </Items>
        )}
      </Read>
    </SettingsGroup>
  );
}

async function setGuard(name: Guard['name'], enabled: boolean): Promise<void> {
  await client.guards.update({ params: { name }, body: { enabled } });
  await queryClient.invalidateQueries({ queryKey: guardsQuery.queryKey });
}

function GuardItem({ guard: { name, enabled, description } }: { guard: Guard }) {
  const isAway = useAway();
  const [isAsked, setAsked] = useState(false);
  return (
    <Item
      title={name}
      badge={<StateBadge tone={enabled ? 'good' : 'bad'}>{enabled ? 'enabled' : 'disabled'}</StateBadge>}
      note={`${description}.`}
      actions={
        enabled ? (
          <button
            type="button"
            className="button"
            aria-label={`Disable ${name}`}
            disabled={isAway}
            onClick={() => setAsked(true)}
          >
            Disable
          </button>
        ) : (
          <ActButton className="primary" label={`Enable ${name}`} run={() => setGuard(name, true)}>
            Enable
          </ActButton>
        )
      }
    >
      {isAsked && (
        <ConfirmDialog
          title={`Disable ${name}?`}
          verb="Disable"
          run={() => setGuard(name, false)}
          onClose={() => setAsked(false)}
        >
          <p>{description}.</p>
          <p>Disabling it weakens protection for every tool in every mode.</p>
        </ConfirmDialog>
      )}
    </Item>
  );
}
