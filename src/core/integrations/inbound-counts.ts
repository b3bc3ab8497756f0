import { type Vendor, vendorOf, wireName } from '../../contract/vendors.ts';
import type { Database } from '../storage/database.ts';

type Reader = Pick<Database, 'read'>;

export interface InboundCount {
  count: number;
  lastAt: string;
}

/** Counts valid deliveries only: refused ones were too old, and replays did not come from the vendor. */
const verified = ({ read }: Reader) =>
  read
    .selectFrom('inbound_deliveries')
    .where('status', 'in', ['accepted', 'ignored', 'duplicate'])
    .where('replay_of', 'is', null);

/** Counts the deliveries per provider, including copies. */
export async function inboundCounts(database: Reader): Promise<Map<Vendor, InboundCount>> {
  const rows = await verified(database)
    .select(({ fn }) => [
      'provider',
      fn.sum<number>('copies').as('count'),
      fn.max('last_received_at').as('lastAt'),
    ])
    .groupBy('provider')
    .execute();
  return new Map(rows.map(({ provider, count, lastAt }) => [vendorOf(provider), { count, lastAt }]));
}

/** Whether any delivery was received; fast even with many rows. */
export async function hasInbound(database: Reader, provider: Vendor): Promise<boolean> {
  const query = verified(database).select('id').where('provider', '=', wireName(provider)).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}
