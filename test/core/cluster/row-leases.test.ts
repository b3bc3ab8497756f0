import { describe, expect, it, vi } from 'vitest';
import { LEASED_WORK_MS } from '../../../src/core/leases.ts';
import { LEASE_MS } from '../../../src/core/leases.ts';
import { hasPostgres } from '../../helpers/postgres-server.ts';
import { type Leaseholder, leaseWorld } from './lease-world.ts';

const world = async (count = 2) => {
  const made = await leaseWorld(count);
  const [a, b] = made.holders as [Leaseholder, Leaseholder];
  return Object.assign(made, { a, b });
};

describe.skipIf(!hasPostgres)('leases of two daemons', () => {
  it('gives a lease to one of many that ask at once', async () => {
    await using w = await world(3);
    for (let round = 0; round < 20; round++) {
      const asked = w.holders.flatMap(({ leases }) => [leases.take(`r${round}`), leases.take(`r${round}`)]);
      const answers = await Promise.all(asked);
      // A daemon that asks twice hears the same twice.
      expect(answers.filter(({ isMine }) => isMine)).toHaveLength(2);
      expect(w.holders.filter(({ leases }) => leases.holds(`r${round}`))).toHaveLength(1);
    }
  });

  it('names the owner and how long it has the lease', async () => {
    await using w = await world();
    await w.a.leases.take('x');
    w.advance(10_000);
    const answer = await w.b.leases.take('x');
    expect(answer).toMatchObject({ isMine: false, owner: w.a.id });
    const { leftMs } = answer as { leftMs: number };
    expect(leftMs).toBeGreaterThan(LEASE_MS - 15_000);
    expect(leftMs).toBeLessThanOrEqual(LEASE_MS - 10_000);
  });

  it('stops to hold a lease that it could not renew before another daemon can take it', async () => {
    await using w = await world();
    expect(await w.a.leases.take('x')).toEqual({ isMine: true, fence: 1 });
    w.a.kill();
    w.advance(LEASE_MS - LEASED_WORK_MS);
    expect(w.a.leases.holds('x')).toBe(false);
    expect(await w.b.leases.take('x')).toMatchObject({ isMine: false });
    w.advance(LEASED_WORK_MS);
    expect(await w.b.leases.take('x')).toEqual({ isMine: true, fence: 2 });
  });

  it('keeps what it renews', async () => {
    await using w = await world();
    await w.a.leases.take('x');
    for (let times = 0; times < 4; times++) {
      w.advance(15_000);
      w.a.renew();
      await vi.waitFor(() => expect(w.a.leases.holds('x')).toBe(true), 20_000);
      expect(await w.b.leases.take('x')).toMatchObject({ isMine: false });
    }
  });

  it('says that it lost a lease which it renews too late', async () => {
    await using w = await world();
    let ends = 0;
    await w.a.leases.take('x', { onEnd: () => ends++ });
    w.advance(LEASE_MS + 1);
    await w.b.leases.take('x');
    w.a.renew();
    await vi.waitFor(() => expect(ends).toBe(1), 20_000);
    expect(w.a.leases.holds('x')).toBe(false);
    expect(w.b.leases.holds('x')).toBe(true);
  });

  it('gives back what is idle, and what it releases, at once', async () => {
    await using w = await world();
    await w.a.leases.take('idle', { isIdle: () => true });
    await w.a.leases.take('released');
    await w.a.leases.release('released');
    expect(await w.b.leases.take('released')).toMatchObject({ isMine: true });
    w.a.renew();
    await vi.waitFor(
      async () => expect(await w.b.leases.take('idle')).toMatchObject({ isMine: true }),
      20_000,
    );
  });

  it('lets one daemon do a round', async () => {
    await using w = await world(3);
    const rounds = async () =>
      (await Promise.all(w.holders.map((h) => h.leases.takeRound('tidy', 60_000)))).filter(Boolean);
    expect(await rounds()).toHaveLength(1);
    w.advance(30_000);
    expect(await rounds()).toHaveLength(0);
    w.advance(31_000);
    expect(await rounds()).toHaveLength(1);
  });
});
