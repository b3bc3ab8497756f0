import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { SharedFiles } from '../../src/core/memory/shared/shared-files.ts';
import { systemRuntime } from '../../src/core/runtime.ts';
import { describeCluster, startCluster } from '../helpers/cluster.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { type EmbeddingServer, startEmbeddingServer } from '../helpers/embedding-server.ts';
import { RedisServer } from '../helpers/redis-server.ts';

/** A hint comes at once; without one the others look every five seconds. A starved machine takes longer. */
const SOON = { timeout: 20_000, interval: 50 };

/** A folder with three documents that answer the searches of the tests. */
function documents() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-documents-')));
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  write('apples.md', '# Apples\n\nApples grow on trees, and pears do too.\n');
  write('pears.md', '# Pears\n\nA pear is like an apple, but longer. Pears ripen late.\n');
  mkdirSync(join(folder, 'deep'));
  write('deep/ships.md', '# Ships\n\nA ship sails on the sea.\n');
  return { folder, write, remove: (name: string) => rmSync(join(folder, name)) };
}

/** Two daemons; the folder is a root of those that are named. */
async function twoDaemons(options: { hosts?: [string, string]; redis?: RedisServer } = {}) {
  const docs = documents();
  const cluster = await startCluster(
    2,
    (daemon) => ({ flags: { ...(options.hosts && { 'daemon.host': options.hosts[daemon] }) } }),
    options.redis,
  );
  const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
  return {
    a,
    b,
    docs,
    environment: cluster.environment,
    async [Symbol.asyncDispose]() {
      await cluster[Symbol.asyncDispose]();
      rmSync(docs.folder, { recursive: true, force: true });
    },
  };
}

const sync = ({ client }: TestDaemon, basePath?: string) =>
  client.memory.sync({ body: basePath === undefined ? {} : { basePath } });

/** All that a search answers but for how fresh it is. */
const search = async ({ client }: TestDaemon, query: string) => {
  const { chunks, totalCandidates, method } = await client.memory.search({ body: { query } });
  return { chunks, totalCandidates, method };
};

const paths = async (daemon: TestDaemon, query: string) =>
  (await search(daemon, query)).chunks.map(({ path }) => path.split('/').at(-1));

const files = async ({ client }: TestDaemon) =>
  (await client.memory.listFiles({ query: { limit: 100 } })).files.map(({ path, hash, chunkCount }) => ({
    path,
    hash,
    chunkCount,
  }));

/** Lets the cluster compute vectors. */
async function embedWith({ client }: TestDaemon, { url }: EmbeddingServer) {
  await client.providers.configure({
    params: { type: 'openai' },
    body: { baseUrl: `${url}/v1`, apiKey: 'sk-key-of-the-test-0123456789' },
  });
  await client.config.update({ params: { key: 'memory.embedding.provider' }, body: { value: 'openai' } });
}

const embedded = async ({ client }: TestDaemon) => {
  const { embeddedCount, chunkCount, method } = await client.memory.getStats();
  return { embeddedCount, chunkCount, method };
};

const record = ({ client }: TestDaemon, intent: string) =>
  client.experiences.create({
    body: { type: 'task_solution', intent, solution: ['Turn it off and on'], successScore: 1 },
  });

const learned = async ({ client }: TestDaemon, q: string) =>
  (await client.experiences.search({ query: { q } })).experiences.map(({ intent }) => intent);

describeCluster('the memory of two daemons', () => {
  it('answers on one daemon, with the same ids and scores, from files that only the other one reads', async () => {
    await using cluster = await twoDaemons({ hosts: ['one', 'two'] });
    const { a, b, docs } = cluster;
    expect(await sync(a, docs.folder)).toMatchObject({ added: 3 });
    await vi.waitFor(async () => expect(await files(b)).toHaveLength(3), SOON);
    for (const query of ['apple', 'pears on trees', 'ship sea', 'nothing of it'])
      expect(await search(b, query)).toEqual(await search(a, query));
    expect((await search(b, 'pears')).chunks.length).toBeGreaterThan(1);
    const { stale } = await b.client.memory.search({ body: { query: 'apple' } });
    expect(stale).toBe(false);
    const { sharedRoots, roots, lastSyncAt } = await b.client.memory.getStats();
    expect(roots).toEqual([docs.folder]);
    expect(lastSyncAt).not.toBeNull();
    const report = await a.client.cluster.get();
    expect(sharedRoots).toEqual([
      { path: docs.folder, host: 'one', daemon: report.answeredBy, online: true },
    ]);
  });

  it('brings changed, new, removed and deleted files to the other daemon', async () => {
    await using cluster = await twoDaemons();
    const { a, b, docs } = cluster;
    await sync(a, docs.folder);
    await vi.waitFor(async () => expect(await files(b)).toHaveLength(3), SOON);
    docs.write('apples.md', '# Apples\n\nNow about oranges.\n');
    docs.write('new.md', '# New\n\nA volcano.\n');
    docs.remove('deep/ships.md');
    await vi.waitFor(async () => {
      expect(await paths(b, 'oranges')).toEqual(['apples.md']);
      expect(await paths(b, 'volcano')).toEqual(['new.md']);
      expect(await paths(b, 'ship')).toEqual([]);
    }, SOON);
    expect(await files(b)).toEqual(await files(a));
    // By the daemon that has no say over the files.
    await b.client.memory.deleteFile({ params: { path: join(docs.folder, 'new.md') } });
    const [chunk] = (await search(b, 'oranges')).chunks;
    await b.client.memory.deleteChunk({ params: { id: chunk?.id ?? '' } });
    await vi.waitFor(async () => {
      expect(await paths(a, 'volcano')).toEqual([]);
      expect(await paths(a, 'oranges')).toEqual([]);
    }, SOON);
    expect(await files(a)).toEqual(await files(b));
    // It changes, and is back on both.
    docs.write('new.md', '# New\n\nA volcano and a glacier.\n');
    for (const daemon of [a, b])
      await vi.waitFor(async () => expect(await paths(daemon, 'glacier')).toEqual(['new.md']), SOON);
    await b.client.memory.deleteAll();
    await vi.waitFor(async () => expect(await files(a)).toEqual([]), SOON);
    expect(await files(b)).toEqual([]);
  });

  it('forgets a folder that its daemon is no longer to index', async () => {
    await using cluster = await twoDaemons();
    const { a, b, docs } = cluster;
    await sync(a, docs.folder);
    await sync(b, join(docs.folder, 'deep'));
    await vi.waitFor(async () => expect(await files(b)).toHaveLength(3), SOON);
    await a.client.config.update({ params: { key: 'memory.roots' }, body: { value: [] } });
    for (const daemon of [a, b]) await vi.waitFor(async () => expect(await files(daemon)).toEqual([]), SOON);
    expect(await b.client.memory.getStats()).toMatchObject({ roots: [], sharedRoots: [] });
  });

  it('reads a folder of two daemons on one machine once, and the other goes on when the first is gone', async () => {
    await using cluster = await twoDaemons();
    const { a, b, docs } = cluster;
    await sync(a, docs.folder);
    await b.client.config.update({ params: { key: 'memory.roots' }, body: { value: [docs.folder] } });
    const answer = await sync(b, docs.folder);
    expect(answer).toMatchObject({ synced: 0, added: 0, skipped: 1 });
    expect(Object.keys(answer.reasons)[0]).toContain('is synced by a daemon on');
    expect(await b.client.memory.getWatcherStatus()).toMatchObject({
      state: { watching: false },
      reason: 'Other daemons watch the folders',
    });
    const before = await search(a, 'pears');
    const [{ daemon: keeper } = { daemon: '' }] = (await a.client.memory.getStats()).sharedRoots ?? [];
    await a.stop();
    docs.write('new.md', '# New\n\nA volcano.\n');
    await vi.waitFor(async () => expect(await paths(b, 'volcano')).toEqual(['new.md']), SOON);
    const [{ daemon: next } = { daemon: '' }] = (await b.client.memory.getStats()).sharedRoots ?? [];
    expect(next).not.toBe(keeper);
    // Nothing that was known was indexed again: the chunks are the same ones.
    const ids = async (query: string) => (await search(b, query)).chunks.map(({ id }) => id);
    expect((await ids('pears')).toSorted()).toEqual(before.chunks.map(({ id }) => id).toSorted());
  });

  it('searches the files of a machine that is gone, and says that they may be outdated', async () => {
    await using cluster = await twoDaemons({ hosts: ['one', 'two'] });
    const { a, b, docs } = cluster;
    await b.client.config.update({ params: { key: 'memory.roots' }, body: { value: [docs.folder] } });
    await a.client.config.update({ params: { key: 'memory.roots' }, body: { value: [docs.folder] } });
    await vi.waitFor(async () => expect(await files(b)).toHaveLength(3), SOON);
    const { sharedRoots: [root] = [] } = await b.client.memory.getStats();
    const [keeper, other] = root?.host === 'one' ? [a, b] : [b, a];
    await vi.waitFor(async () => expect(await files(other)).toHaveLength(3), SOON);
    await keeper.stop();
    docs.write('new.md', '# New\n\nA volcano.\n');
    await vi.waitFor(async () => {
      const found = await other.client.memory.search({ body: { query: 'pears' } });
      expect(found.stale).toBe(true);
      expect(found.chunks.length).toBeGreaterThan(0);
    }, SOON);
    expect(await paths(other, 'volcano')).toEqual([]);
    expect((await other.client.memory.getStats()).sharedRoots).toEqual([{ ...root, online: false }]);
    // A person says that the folder of this machine is the one.
    await sync(other, docs.folder);
    expect(await paths(other, 'volcano')).toEqual(['new.md']);
    expect((await other.client.memory.getStats()).sharedRoots).toMatchObject([{ online: true }]);
  });

  it('finds on one daemon what was learned on the other', async () => {
    await using cluster = await twoDaemons();
    const { a, b } = cluster;
    // The index of B runs already.
    expect(await learned(b, 'printer')).toEqual([]);
    const { experience } = await record(a, 'The printer is silent');
    await vi.waitFor(
      async () => expect(await learned(b, 'printer')).toEqual(['The printer is silent']),
      SOON,
    );
    await record(b, 'A scanner hums');
    await vi.waitFor(async () => expect(await learned(a, 'scanner')).toEqual(['A scanner hums']), SOON);
    await b.client.experiences.delete({ params: { id: experience.id } });
    await vi.waitFor(async () => expect(await learned(a, 'printer')).toEqual([]), SOON);
  });

  it('computes each vector once, and a daemon that comes later has all of them', async () => {
    await using server = await startEmbeddingServer();
    await using cluster = await twoDaemons();
    const { a, b, docs } = cluster;
    await embedWith(a, server);
    await sync(a, docs.folder);
    await record(a, 'The printer is silent');
    await vi.waitFor(() => expect(server.embedded).toHaveLength(4), SOON);
    const all = { embeddedCount: 3, chunkCount: 3, method: 'hybrid' };
    for (const daemon of [a, b])
      await vi.waitFor(async () => expect(await embedded(daemon)).toEqual(all), SOON);
    await using late = await startDaemon({ cluster: cluster.environment });
    await vi.waitFor(async () => expect(await embedded(late)).toEqual(all), SOON);
    const texts = server.embedded.length;
    for (const query of ['pears on trees', 'A voyage'])
      for (const daemon of [b, late]) {
        expect(await search(daemon, query)).toEqual(await search(a, query));
        expect((await search(daemon, query)).method).toBe('hybrid');
      }
    // Each daemon asked for its two queries, and nobody for a text again.
    expect(server.embedded.length - texts).toBe(6);
    expect(new Set(server.embedded.slice(0, texts)).size).toBe(texts);
  });

  it('pays for no text twice when all daemons begin at the same time', async () => {
    await using server = await startEmbeddingServer();
    await using cluster = await twoDaemons();
    const { a, b, docs } = cluster;
    for (let n = 0; n < 300; n++) docs.write(`note-${n}.md`, `Note ${n} says ${'na '.repeat(n % 7)}${n}.\n`);
    await sync(a, docs.folder);
    await vi.waitFor(async () => expect((await embedded(b)).chunkCount).toBe(303), SOON);
    await embedWith(a, server);
    const all = { embeddedCount: 303, chunkCount: 303, method: 'hybrid' };
    for (const daemon of [a, b])
      await vi.waitFor(async () => expect(await embedded(daemon)).toEqual(all), SOON);
    expect(server.embedded).toHaveLength(303);
  });

  it('gives an index of another cluster, or of a single daemon, what belongs to the cluster', async () => {
    const docs = documents();
    const alone = await startDaemon({ flags: { mode: 'mini' } });
    await sync(alone, docs.folder);
    await alone.client.config.update({ params: { key: 'memory.roots' }, body: { value: [] } });
    await alone.stop();
    await using cluster = await twoDaemons();
    await sync(cluster.a, cluster.docs.folder);
    await using joined = await startDaemon({ home: alone.home, cluster: cluster.environment });
    await vi.waitFor(async () => expect(await files(joined)).toEqual(await files(cluster.a)), SOON);
    rmSync(docs.folder, { recursive: true });
  });

  it('takes over all that happened while a daemon was away, also what is not remembered one by one', async () => {
    await using cluster = await twoDaemons({ hosts: ['one', 'two'] });
    const { a, b, docs } = cluster;
    await sync(a, docs.folder);
    await vi.waitFor(async () => expect(await files(b)).toHaveLength(3), SOON);
    await b.stop();
    docs.remove('apples.md');
    docs.write('new.md', '# New\n\nA volcano.\n');
    await sync(a, docs.folder);
    const { database } = a.app;
    const longAgo = { changed_at: '2026-01-01T00:00:00.000Z' };
    await database.write(({ db }) => db.updateTable('memory_files').set(longAgo).execute());
    await new SharedFiles({ database, runtime: systemRuntime }).tidy();
    const removed = database.read.selectFrom('memory_files').select('path').where('chunks', 'is', null);
    expect(await removed.execute()).toEqual([]);
    await using again = await startDaemon({ home: b.home, cluster: cluster.environment });
    await vi.waitFor(async () => expect(await files(again)).toEqual(await files(a)), SOON);
    expect(await paths(again, 'volcano')).toEqual(['new.md']);
  });

  it('leaves a folder to whoever has its lease, and changes nothing after losing it', async () => {
    await using cluster = await twoDaemons({ hosts: ['one', 'two'] });
    const { a, b, docs } = cluster;
    await sync(a, docs.folder);
    await vi.waitFor(async () => expect(await files(b)).toHaveLength(3), SOON);
    const { database } = a.app;
    const thief = { owner: 'daemon_of_nobody', expires_at: '2999-01-01T00:00:00.000Z' };
    await database.write(async ({ db }) => {
      const name = `memory of ${docs.folder}`;
      await db.updateTable('leases').set(thief).where('name', '=', name).execute();
      await db.updateTable('memory_streams').set({ keeper: thief.owner }).execute();
    });
    docs.write('new.md', '# New\n\nA volcano.\n');
    // A learns of it when it renews the lease.
    await vi.waitFor(async () => {
      const answer = await sync(a, docs.folder);
      expect(Object.keys(answer.reasons)[0]).toContain('is synced by a daemon on');
    }, SOON);
    await b.client.memory.search({ body: { query: 'volcano' } });
    expect(await paths(b, 'volcano')).toEqual([]);
    const rows = database.read.selectFrom('memory_files').select('path').where('path', 'like', '%new.md');
    expect(await rows.execute()).toEqual([]);
  });

  it('brings files and experiences without Redis', async () => {
    await using redis = await RedisServer.start();
    await using cluster = await twoDaemons({ redis });
    const { a, b, docs } = cluster;
    await redis.kill();
    await sync(a, docs.folder);
    await vi.waitFor(async () => expect(await files(b)).toHaveLength(3), SOON);
    expect(await search(b, 'pears')).toEqual(await search(a, 'pears'));
    expect(await learned(b, 'printer')).toEqual([]);
    await record(a, 'The printer is silent');
    await vi.waitFor(async () => expect(await learned(b, 'printer')).toHaveLength(1), SOON);
  });
});
