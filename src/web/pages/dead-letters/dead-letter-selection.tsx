import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { DeadLetter } from '../../../contract/dlq.ts';
import { counted } from '../../components/counted.ts';
import { Problem } from '../../components/problem.tsx';
import { client } from '../../client.ts';
import { useAway } from '../../live/use-away.ts';
import { type DeadLetterAction, deadLetterActions } from './dead-letter-actions.ts';
import { DeadLetterDialog } from './dead-letter-dialog.tsx';
import type { Chosen } from './use-chosen.ts';
import styles from './dead-letters.module.css';
import { formatNumber } from '../../components/format-number.ts';

/** More at once would take minutes, and hardly be meant. */
const MOST = 1000;
const PAGE = 500;

/** What can be done with the chosen dead letters. */
export function DeadLetterSelection({
  chosen,
  set,
  total,
}: {
  chosen: Chosen;
  set: (items: readonly DeadLetter[]) => void;
  total: number;
}) {
  const isAway = useAway();
  const [asked, setAsked] = useState<DeadLetterAction>();
  const chooseAll = useMutation({ mutationFn: readPending, onSuccess: set });
  return (
    <div
      className={styles['selection']}
      role="region"
      aria-label="Selected tasks"
      hidden={total < 2 && chosen.size === 0 && !asked}
    >
      <span role="status">{chosen.size > 0 && `${counted(chosen.size, 'task')} selected`}</span>
      {chosen.size > 0 &&
        (Object.keys(deadLetterActions) as DeadLetterAction[]).map((name) => (
          <button
            key={name}
            type="button"
            className="button"
            disabled={isAway}
            onClick={() => setAsked(name)}
          >
            {deadLetterActions[name].verb} {formatNumber(chosen.size)}
          </button>
        ))}
      {total > 1 && chosen.size < Math.min(total, MOST) && (
        <button
          type="button"
          className="button quiet"
          disabled={isAway || chooseAll.isPending}
          onClick={() => chooseAll.mutate()}
        >
          {total > MOST ? `Select the newest ${formatNumber(MOST)}` : `Select all ${formatNumber(total)}`}
        </button>
      )}
      {chosen.size > 0 && (
        <button type="button" className="button quiet" onClick={() => set([])}>
          Clear
        </button>
      )}
      {chooseAll.error && <Problem error={chooseAll.error} />}
      {asked && (
        <DeadLetterDialog
          name={asked}
          items={[...chosen.values()]}
          onClose={(done) => {
            setAsked(undefined);
            set([...chosen.values()].filter(({ id }) => !done.has(id)));
          }}
        />
      )}
    </div>
  );
}

/** The newest dead letters that nothing was done about yet. */
async function readPending(): Promise<DeadLetter[]> {
  const found: DeadLetter[] = [];
  let total: number;
  do {
    const page = await client.dlq.list({ query: { status: 'pending', limit: PAGE, offset: found.length } });
    found.push(...page.items);
    total = page.items.length === 0 ? 0 : page.total;
  } while (found.length < Math.min(total, MOST));
  return found.slice(0, MOST);
}
