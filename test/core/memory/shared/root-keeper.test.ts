import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LEASE_MS } from '../../../../src/core/leases.ts';
import { RootKeeper } from '../../../../src/core/memory/shared/root-keeper.ts';
import { SharedFiles } from '../../../../src/core/memory/shared/shared-files.ts';
import { hasPostgres } from '../../../helpers/postgres-server.ts';
import { type Leaseholder, leaseWorld } from '../../cluster/lease-world.ts';

const MINUTE_MS = 60_000;

/** Three daemons, two of them on one machine, that are to index the same folder. */
async function world() {
  const leases = await leaseWorld(3);
  const root = mkdtempSync(join(tmpdir(), 'svc-keeper-'));
  const wanted = new Set([root]);
  const [one, two, three] = leases.holders as [Leaseholder, Leaseholder, Leaseholder];
  const files = new SharedFiles({ database: one.database, runtime: leases.runtime });
  const keeperOf = ({ id, database, leases: own }: Leaseholder, host: string) =>
    new RootKeeper({
      database,
      files,
      leases: own,
      daemonId: id,
      host,
      wanted: () => [...wanted],
      onChange: () => undefined,
      runtime: leases.runtime,
    });
  const [a, b, far] = [keeperOf(one, 'near'), keeperOf(two, 'near'), keeperOf(three, 'far')];
  return {
    ...leases,
    one,
    a,
    b,
    far,
    root,
    wanted,
    files,
    held: async (keeper: RootKeeper) => [...(await keeper.look(await files.roots())).held],
    look: async (keeper: RootKeeper) => (await keeper.look(await files.roots())).taken,
    async [Symbol.asyncDispose]() {
      await leases[Symbol.asyncDispose]();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

describe.skipIf(!hasPostgres)('who reads a folder', () => {
  it('is one daemon, and another on its machine once its lease has ended', async () => {
    await using w = await world();
    expect(await w.look(w.a)).toEqual([w.root]);
    expect(await w.look(w.a)).toEqual([]);
    expect(await w.look(w.b)).toEqual([]);
    expect(await w.held(w.b)).toEqual([w.root]);
    w.one.kill();
    w.advance(LEASE_MS);
    expect(await w.held(w.far)).toEqual([]);
    expect(await w.look(w.far)).toEqual([]);
    expect(await w.look(w.b)).toEqual([w.root]);
    expect([...(await w.files.roots()).values()]).toMatchObject([{ host: 'near' }]);
  });

  it('is a daemon of another machine when none of the first one has read it for ten minutes', async () => {
    await using w = await world();
    await w.look(w.a);
    w.one.kill();
    w.advance(LEASE_MS + 9 * MINUTE_MS);
    expect(await w.look(w.far)).toEqual([]);
    w.advance(2 * MINUTE_MS);
    expect(await w.look(w.far)).toEqual([w.root]);
    expect([...(await w.files.roots()).values()]).toMatchObject([{ host: 'far' }]);
  });

  it('is at once the daemon that a person asks, unless another one reads it', async () => {
    await using w = await world();
    await w.look(w.a);
    expect(await w.far.take(w.root)).toBe(false);
    w.one.kill();
    w.advance(LEASE_MS);
    expect(await w.far.take(w.root)).toBe(true);
    expect(w.far.keeps(w.root)).toBe(true);
    expect(w.far.rootOf(join(w.root, 'a.md'))).toBe(w.root);
    expect(w.far.rootOf('/somewhere/else')).toBeUndefined();
  });

  it('takes no folder that is not there, and forgets one that nobody wants any more', async () => {
    await using w = await world();
    rmSync(w.root, { recursive: true });
    expect(await w.look(w.a)).toEqual([]);
    expect([...(await w.files.roots())]).toEqual([]);
    mkdirSync(w.root);
    expect(await w.look(w.a)).toEqual([w.root]);
    // It stays while its disk is away.
    rmSync(w.root, { recursive: true });
    await w.look(w.a);
    expect(w.a.keeps(w.root)).toBe(true);
    w.wanted.clear();
    await w.look(w.b);
    expect((await w.files.roots()).size).toBe(1);
    await w.look(w.a);
    expect(w.a.keeps(w.root)).toBe(false);
    expect([...(await w.files.roots())]).toEqual([]);
  });

  it('gives its folders back when it stops', async () => {
    await using w = await world();
    await w.look(w.a);
    await w.a.stop();
    expect(await w.look(w.b)).toEqual([w.root]);
  });
});
