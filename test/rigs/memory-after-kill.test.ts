import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { ensureBuilt } from '../cli/svc-binary.ts';
import { hasPostgres } from '../helpers/postgres-server.ts';
import { hasRedis } from '../helpers/redis-server.ts';
import { ClusterWorld } from './cluster/cluster-world.ts';
import { Random } from './crash/random.ts';

/** The lease of the folder has to end first, and a starved machine takes longer. */
const AFTER_LEASE = { timeout: 120_000, interval: 200 };

it.skipIf(!hasPostgres || !hasRedis)(
  'a folder of the memory is read by another daemon of its machine once its own was killed (needs PostgreSQL and Redis)',
  { timeout: 300_000 },
  async () => {
    ensureBuilt();
    await using world = await ClusterWorld.start(2, new Random(1), { SVC_DAEMON_HOST: 'one' });
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-documents-')));
    using _ = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
    const [a, b] = world.daemons.map((daemon) => ({ daemon, ...daemon.client() }));
    if (!a || !b) throw new Error('There are two daemons');
    const found = async ({ memory }: typeof a, query: string) =>
      (await memory.search({ body: { query } })).chunks.map(({ path }) => path);
    const apples = join(folder, 'apples.md');
    const pears = join(folder, 'pears.md');
    writeFileSync(apples, '# Apples\n\nApples grow on trees.\n');
    for (const { config } of [a, b])
      await config.update({ params: { key: 'memory.roots' }, body: { value: [folder] } });
    await a.memory.sync({ body: { basePath: folder } });
    await vi.waitFor(async () => expect(await found(b, 'apples')).toEqual([apples]), AFTER_LEASE);

    const first = (await b.memory.getStats()).sharedRoots;
    await a.daemon.end('SIGKILL');
    // While no daemon reads the folder: one file that is new, one that is gone.
    writeFileSync(pears, '# Pears\n\nPears ripen late.\n');
    rmSync(apples);
    await vi.waitFor(async () => expect(await found(b, 'pears')).toEqual([pears]), AFTER_LEASE);
    expect(await found(b, 'apples')).toEqual([]);
    expect((await b.memory.getStats()).sharedRoots).toMatchObject([
      { path: folder, daemon: expect.not.stringMatching(String(first?.[0]?.daemon)), online: true },
    ]);

    await world.startAgain(a.daemon);
    const again = { ...a, memory: a.daemon.client().memory };
    await vi.waitFor(async () => expect(await found(again, 'pears')).toEqual([pears]), AFTER_LEASE);
    expect(await found(again, 'apples')).toEqual([]);
  },
);
