import type { QueueStatus } from '../../../contract/queue.ts';
import { formatNumber } from '../../components/format-number.ts';

/** How much an agent with slots of its own works on and how much waits for it; undefined while nothing does. */
export function ownLoadOf(queue: QueueStatus | undefined, type: string): string | undefined {
  const pool = queue?.pools.find(({ name }) => name === `agent:${type}`);
  return pool && pool.running + pool.waiting > 0 ? loadText(pool) : undefined;
}

/** The slots that an agent works in, of its own or shared with others. */
export function slotsOf(queue: QueueStatus | undefined, type: string): string | undefined {
  const own = queue?.pools.find(({ name }) => name === `agent:${type}`);
  const shared = queue?.pools.find(({ name }) => name === 'tasks');
  if (own) return loadText(own);
  return shared && `${loadText(shared)}; shared with other agents`;
}

const loadText = ({ running, slots, waiting }: QueueStatus['pools'][number]): string =>
  `${running} of ${slots} slots in use${waiting > 0 ? `, ${formatNumber(waiting)} waiting` : ''}`;
