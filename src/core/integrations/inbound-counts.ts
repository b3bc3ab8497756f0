import type { ProviderName } from '../../contract/oauth.ts';
import type { Database } from '../storage/database.ts';

type Reader = Pick<Database, 'read'>;

export interface InboundCount {
  count: number;
  lastAt: string;
}

/** What came in well signed. What was refused was too old, and what is replayed by hand came from nobody. */
const verified = ({ read }: Reader) =>
  read
    .selectFrom('inbound_deliveries')
    .where('status', 'in', ['accepted', 'ignored', 'duplicate'])
    .where('replay_of', 'is', null);

/** The deliveries of each provider, copies included. */
export async function inboundCounts(database: Reader): Promise<Map<ProviderName, InboundCount>> {
  const rows = await verified(database)
    .select(({ fn }) => [
      'provider',
      fn.sum<number>('copies').as('count'),
      fn.max('last_received_at').as('lastAt'),
    ])
    .groupBy('provider')
    .execute();
  return new Map(rows.map(({ provider, count, lastAt }) => [provider as ProviderName, { count, lastAt }]));
}

/** Whether any has come, which takes no time where many have. */
export async function hasInbound(database: Reader, provider: ProviderName): Promise<boolean> {
  const query = verified(database).select('id').where('provider', '=', provider).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}
