import type { ProviderName } from '../../contract/oauth.ts';
import type { Database } from '../storage/database.ts';

export interface InboundCount {
  count: number;
  lastAt: string;
}

/** The deliveries of each provider that came in well signed, copies included; replays by hand came from nobody. */
export async function inboundCounts({
  read,
}: Pick<Database, 'read'>): Promise<Map<ProviderName, InboundCount>> {
  const rows = await read
    .selectFrom('inbound_deliveries')
    .select(({ fn }) => [
      'provider',
      fn.sum<number>('copies').as('count'),
      fn.max('last_received_at').as('lastAt'),
    ])
    .where('status', 'in', ['accepted', 'ignored', 'duplicate'])
    .where('replay_of', 'is', null)
    .groupBy('provider')
    .execute();
  return new Map(rows.map(({ provider, count, lastAt }) => [provider as ProviderName, { count, lastAt }]));
}
