import { describe, expect, it } from 'vitest';
import type { InboundDeliveryRow } from '../../../../src/core/storage/rows/inbound.ts';
import { type InboundWorld, startInbound } from './inbound-parts.ts';

const DAY = 86_400_000;
const MIB = 1024 * 1024;
const caller = { userId: 'user_owner', role: 'admin' } as const;
const read = ({ daemon }: InboundWorld) => daemon.app.database.read;

const rows = (world: InboundWorld) => world.inbound.list({ limit: 500, offset: 0 });
const claims = async (world: InboundWorld) =>
  (await read(world).selectFrom('source_claims').select('content_key').orderBy('content_key').execute()).map(
    (claim) => claim.content_key,
  );
/** The ids of the deliveries whose body is kept, oldest first. */
const withPayload = async (world: InboundWorld) =>
  (
    await read(world)
      .selectFrom('inbound_deliveries')
      .select('id')
      .where('payload', 'is not', null)
      .orderBy('id')
      .execute()
  ).map(({ id }) => id);

/** Puts many entries into the log, which then are as if they had come one after the other. */
async function fill(world: InboundWorld, count: number, bytes: number): Promise<string[]> {
  const ids = Array.from({ length: count }, (_, at) => `inb_${String(at).padStart(6, '0')}`);
  const moment = (at: number) => new Date(Date.now() - 3_600_000 + Math.floor(at / 2)).toISOString();
  await world.daemon.app.database.write(async (transaction) => {
    for (const [at, id] of ids.entries())
      transaction.insertLater('inbound_deliveries', {
        id,
        provider: 'codehost',
        delivery_id: id,
        body_hash: id,
        event: 'issues',
        action: null,
        status: 'ignored',
        reason: null,
        task_id: null,
        source_id: null,
        sender: null,
        copies: 1,
        bytes,
        payload: '{}',
        // Two of each moment.
        received_at: moment(at),
        last_received_at: moment(at),
        replay_of: null,
      } satisfies InboundDeliveryRow);
  });
  return ids;
}

describe('the retention of deliveries', () => {
  it('keeps entries for the configured time, and bodies for a week', async () => {
    await using world = await startInbound();
    const { id } = await world.receive({ contentKey: 'old' });
    await world.removeOld();
    expect(await world.inbound.get(id)).toHaveProperty('payload');

    world.pass(7 * DAY + 1000);
    await world.removeOld();
    const shown = await world.inbound.get(id);
    expect(shown.delivery).toMatchObject({ status: 'accepted', canReplay: false });
    expect(shown).not.toHaveProperty('payload');
    await expect(world.inbound.replay(caller, id, {})).rejects.toMatchObject({
      code: 'wrong_state',
      message: expect.stringMatching('no longer stored'),
    });

    world.pass(22 * DAY);
    await world.removeOld();
    expect(await rows(world)).toMatchObject({ total: 1 });
    world.pass(DAY);
    await world.removeOld();
    expect(await rows(world)).toMatchObject({ total: 0 });
  });

  it('applies a changed retention setting', async () => {
    await using world = await startInbound();
    await world.receive({ contentKey: 'old' });
    const key = 'webhooks.inbound.keepDays';
    await world.daemon.client.config.update({ params: { key }, body: { value: 2 } });
    world.pass(2 * DAY + 1000);
    await world.removeOld();
    expect(await rows(world)).toMatchObject({ total: 0 });
  });

  it('keeps the claim of work until its task has finished', async () => {
    await using world = await startInbound();
    const { taskId: ended = '' } = await world.receive({ contentKey: 'ended' });
    const { taskId: open } = await world.receive({ contentKey: 'open' });
    await world.daemon.client.tasks.cancel({ params: { id: ended } });
    await world.removeOld();
    expect(await claims(world)).toEqual(['ended', 'open']);
    world.pass(31 * DAY);
    await world.removeOld();
    expect(await claims(world)).toEqual(['open']);
    expect(await world.receive({ contentKey: 'open' })).toMatchObject({ status: 'duplicate', taskId: open });
  });

  it('keeps the bodies of the newest 2,000 deliveries', async () => {
    await using world = await startInbound();
    const ids = await fill(world, 3251, 10);
    await world.removeOld();
    expect(await withPayload(world)).toEqual(ids.slice(-2000));
    expect(await rows(world)).toMatchObject({ total: 3251 });
    await world.removeOld();
    expect(await withPayload(world)).toHaveLength(2000);
  });

  it('keeps the newest bodies up to 256 MiB', async () => {
    await using world = await startInbound();
    const ids = await fill(world, 100, 5 * MIB);
    await world.removeOld();
    expect(await withPayload(world)).toEqual(ids.slice(-51));
  });

  it('the sweeper removes old deliveries', async () => {
    await using world = await startInbound();
    const { id } = await world.receive({ contentKey: 'old' });
    await world.daemon.app.database.write(({ db }) =>
      db
        .updateTable('inbound_deliveries')
        .set({ received_at: '2026-01-01T00:00:00.000Z' })
        .where('id', '=', id)
        .execute(),
    );
    await world.daemon.app.tidy();
    expect(await rows(world)).toMatchObject({ total: 0 });
  });
});
