import { describe, expect, it } from 'vitest';
import type { PendingPlace } from '../../../src/core/auth/pairing-store.ts';
import { slotFor } from '../../../src/core/devices/pairing-slots.ts';
import { ann, openDevices } from './device-parts.ts';

const place = (id: string, address: string | null, claim_hash: string | null = null): PendingPlace => ({
  id,
  address,
  claim_hash,
});
/** So many requests of each of so many addresses, in turns. */
const crowd = (addresses: number, each: number) =>
  Array.from({ length: addresses * each }, (_, at) => place(`${at}`, `203.0.${at % addresses}.1`));

describe('the place of a new pairing request', () => {
  it('is free for the first five of an address, and then that of its oldest', () => {
    const of = (count: number) => Array.from({ length: count }, (_, at) => place(`${at}`, '203.0.113.1'));
    expect(slotFor(of(4), '203.0.113.1')).toBeUndefined();
    expect(slotFor(of(5), '203.0.113.1')).toBe('0');
    expect(slotFor(of(5), '::ffff:203.0.113.1')).toBe('0');
    expect(slotFor(of(5), '203.0.113.2')).toBeUndefined();
  });

  it('counts an IPv6 network as one address', () => {
    const of = Array.from({ length: 5 }, (_, at) => place(`${at}`, `2001:db8::${at}`));
    expect(slotFor(of, '2001:db8::ffff')).toBe('0');
    expect(slotFor(of, '2001:db8:0:1::1')).toBeUndefined();
  });

  it('is taken from the address that has most when all are full', () => {
    const pending = [place('person', '198.51.100.1'), ...crowd(200, 5)];
    expect(slotFor(pending, '198.51.100.2')).toBe('0');
    const [, ...rest] = pending.filter(({ id }) => id !== '0');
    expect(
      slotFor([place('person', '198.51.100.1'), ...rest, place('new', '198.51.100.2')], '198.51.100.3'),
    ).toBe('1');
  });

  it('never is that of a claimed code', () => {
    const claimed = Array.from({ length: 999 }, (_, at) => place(`${at}`, null, 'hash'));
    expect(slotFor([...claimed, place('free', null)], null)).toBe('free');
    const full = () => slotFor([...claimed, place('last', null, 'hash')], null);
    expect(full).toThrow(expect.objectContaining({ code: 'unavailable', retryAfterMs: 60_000 }));
  });
});

it('two hundred addresses cannot keep others from pairing', async () => {
  await using test = await openDevices();
  const request = (address: string) => test.pairing.request({ requesterId: 'phone', meta: {} }, { address });
  const person = await request('198.51.100.1');
  for (let round = 0; round < 6; round++)
    await Promise.all(Array.from({ length: 200 }, (_, at) => request(`203.0.${at}.1`)));
  expect((await test.pairing.pending()).length).toBe(1000);
  const later = await request('198.51.100.2');
  for (const { requestId, code } of [person, later]) {
    expect(await test.pairing.status(requestId, {})).toMatchObject({ status: 'pending' });
    await test.decisions.approve(ann, { code }, {});
    expect(await test.pairing.status(requestId, {})).toHaveProperty('token');
  }
});
