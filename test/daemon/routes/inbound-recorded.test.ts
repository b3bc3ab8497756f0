import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { WireName } from '../../../src/contract/vendors.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { deliver, inboundFlags, type SentDelivery, sign } from '../../helpers/inbound.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { sized } from '../../helpers/long.ts';

interface Recorded {
  id: string;
  secret: string;
  headers: Record<string, string>;
  bodyFile: string;
  facts: { webhookTimestamp?: number };
}
type Delivery = SentDelivery & Pick<Recorded, 'id' | 'secret' | 'facts'>;

const root = new URL('../../../../shared/fixtures/webhooks/', import.meta.url);
const folders: Record<string, WireName> = { github: 'codehost', jira: 'tracker_a', linear: 'tracker_b' };
const recorded: Delivery[] = !hasSharedFixtures
  ? []
  : Object.entries(folders).flatMap(([folder, provider]) => {
      const place = new URL(`${folder}/`, root);
      return readdirSync(place)
        .filter((name) => name.endsWith('.delivery.json'))
        .map((name) => {
          const { bodyFile, ...rest } = JSON.parse(readFileSync(new URL(name, place), 'utf8')) as Recorded;
          return { ...rest, provider, body: readFileSync(new URL(bodyFile, place)) };
        });
    });

/** What the clock of the daemon says, which is the time of the recording. */
let now = Date.now();
let daemon: TestDaemon;
let senders = 0;
beforeAll(async () => {
  daemon = await startDaemon({
    flags: { ...inboundFlags, 'server.trustedProxies': ['127.0.0.1'] },
    runtime: { ...systemRuntime, now: () => new Date(now) },
  });
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** Each from an address of its own, so that what is refused is not counted together. */
const send = (delivery: SentDelivery) => {
  const sender = ++senders;
  const address = `10.${sender >> 16}.${(sender >> 8) & 255}.${sender & 255}`;
  return deliver(daemon, { ...delivery, headers: { ...delivery.headers, 'x-forwarded-for': address } });
};
const isSignature = (name: string) => name.includes('signature');
const tampered = ({ body, ...rest }: Delivery, at: number): Delivery => {
  const changed = Buffer.from(body);
  changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
  return { ...rest, body: changed };
};
const stored = async () => {
  const { total } = await daemon.client.inbound.list({ query: { limit: 1 } });
  return total;
};

describe.runIf(hasSharedFixtures)('recorded deliveries', { timeout: 180_000 }, () => {
  it('has many recorded deliveries of all three vendors', () => {
    const of = (provider: WireName) => recorded.filter((each) => each.provider === provider).length;
    expect([of('codehost'), of('tracker_a'), of('tracker_b')].every((count) => count > 15)).toBe(true);
  });

  it('rejects recorded deliveries without a signature, with the signature of another secret or with a changed bit', async () => {
    for (const delivery of recorded) {
      const { headers, body } = delivery;
      const unsigned = Object.fromEntries(Object.entries(headers).filter(([name]) => !isSignature(name)));
      const wrong = [
        { ...delivery, headers: unsigned },
        sign(delivery, `${delivery.secret}x`),
        tampered(delivery, Math.floor(Math.random() * body.length)),
        tampered(delivery, body.length - 1),
      ];
      for (const each of wrong)
        expect(await send(each), delivery.id).toMatchObject({
          status: 403,
          body: { error: 'Invalid webhook signature' },
        });
    }
    expect(await stored()).toBe(0);
  });

  it('rejects recorded deliveries with any byte changed', async () => {
    const shortest = recorded.toSorted((a, b) => a.body.length - b.body.length)[0];
    if (!shortest) throw new Error('There is no delivery');
    for (let at = 0; at < shortest.body.length; at += sized(7, 1))
      expect(await send(tampered(shortest, at)), String(at)).toMatchObject({ status: 403 });
  });

  it('accepts and logs unchanged recorded deliveries, and rejects those of Linear with an old timestamp', async () => {
    const late: string[] = [];
    for (const delivery of recorded) {
      const { webhookTimestamp } = delivery.facts;
      now = webhookTimestamp === undefined ? Date.now() : webhookTimestamp + 5 * 60_000 + 1;
      const first = await send(delivery);
      if (webhookTimestamp !== undefined) {
        expect(first, delivery.id).toMatchObject({
          status: 403,
          body: { error: 'Invalid webhook signature' },
        });
        late.push(delivery.id);
        now = webhookTimestamp;
      }
      const { status, body } = webhookTimestamp === undefined ? first : await send(delivery);
      expect({ status, body }, delivery.id).toMatchObject({ status: 200, body: { id: expect.any(String) } });
    }
    expect(late.length).toBeGreaterThan(5);
    expect(await stored()).toBe(recorded.length);
  });
});
