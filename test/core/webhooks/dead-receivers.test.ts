import { describe, expect, it } from 'vitest';
import { createOutboundFetch, type OutboundFetch } from '../../../src/core/outbound/outbound-fetch.ts';
import { Resolver } from '../../../src/core/outbound/resolver.ts';
import { openStorage } from '../../helpers/storage.ts';
import { until } from '../../helpers/tasks.ts';
import { startLoopbackServer } from '../outbound/loopback-server.ts';
import { addWebhook, deliveryWorld } from './delivery-world.ts';

const RECEIVERS = 100;

/** Webhooks by turns to a server that never answers and to one that does, each under a name of its own. */
async function scene(database: Parameters<typeof addWebhook>[0], live: number, dead: number) {
  const webhooks: string[] = [];
  for (let index = 0; index < RECEIVERS; index++)
    for (const [kind, port] of [
      ['dead', dead],
      ['live', live],
    ] as const) {
      const id = `wh_${kind}${index}`;
      webhooks.push(id);
      await addWebhook(database, id, { url: `http://${kind}${index}.example:${port}/` });
    }
  return webhooks;
}

describe('receivers that never answer', () => {
  it('100 receivers that never answer delay none of 100 others', { timeout: 180_000 }, async () => {
    await using storage = await openStorage();
    const { database } = storage;
    await using live = await startLoopbackServer((response) => response.end('thanks'));
    await using dead = await startLoopbackServer(() => undefined);
    const outbound = createOutboundFetch(
      () => ['127.0.0.1/32'],
      new Resolver(async () => [{ address: '127.0.0.1', family: 4 }]),
    );
    let timedOut = 0;
    let atOnce = 0;
    let most = 0;
    const fetch: OutboundFetch = async (url, request) => {
      most = Math.max(most, ++atOnce);
      // The ten seconds that an attempt has are not over before the test is: nothing here depends on how fast it is.
      return outbound
        .fetch(url, { ...request, timeoutMs: 600_000 })
        .catch((error: unknown) => {
          timedOut++;
          throw error;
        })
        .finally(() => atOnce--);
    };
    const webhooks = await scene(database, live.port, dead.port);
    const world = deliveryWorld(database, { fetch });
    const tell = (round: string) =>
      Promise.all(webhooks.map((webhook_id) => world.add(`${round} ${webhook_id}`, { webhook_id })));
    const delivered = async (round: string) => {
      const rows = await database.read
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('status', '=', 'delivered')
        .execute();
      return rows.filter(({ id }) => id.startsWith(round)).length;
    };
    for (const round of ['first', 'second', 'third']) {
      await tell(round);
      await until(async () => expect(await delivered(round)).toBe(RECEIVERS));
      // All live ones have it, and no dead one has so much as timed out.
      expect(timedOut).toBe(0);
    }
    // The dead ones have one attempt each under way, and what comes after waits for that.
    expect(dead.requests).toHaveLength(RECEIVERS);
    expect(most).toBeLessThanOrEqual(2 * RECEIVERS);
    await world.deliverer.stop();
    await outbound.close();
  });
});
