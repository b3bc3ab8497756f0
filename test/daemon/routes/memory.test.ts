import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';
import { until } from '../../helpers/tasks.ts';
import { MemoryWorld } from './memory-world.ts';

let its: MemoryWorld;
beforeAll(async () => {
  its = await MemoryWorld.open();
});
afterAll(() => its[Symbol.asyncDispose]());
beforeEach(() => its.plant());

describe('a fresh installation', () => {
  it('says how to start before anything is indexed', async () => {
    await using fresh = await startDaemon();
    expect(await fresh.client.memory.getStats()).toMatchObject({
      fileCount: 0,
      chunkCount: 0,
      lastSyncAt: null,
      method: 'keyword',
      roots: [],
    });
    expect(await fresh.client.memory.search({ body: { query: 'anything' } })).toMatchObject({
      chunks: [],
      totalCandidates: 0,
    });
    const { status, body } = await send(fresh, 'POST', '/api/memory/sync', undefined, fresh.headers);
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: expect.stringContaining('svc memory sync FOLDER') });
  });
});

describe('POST /api/memory/sync', () => {
  it('a sync counts the added, updated and removed files', async () => {
    expect(await its.sync()).toMatchObject({ synced: 3, added: 3, updated: 0, removed: 0, cancelled: false });
    expect(await its.sync()).toMatchObject({ synced: 3, added: 0, updated: 0, removed: 0 });
    its.write('notes.txt', 'The printer works again.\n');
    its.write('more.md', 'New.\n');
    rmSync(join(its.folder, 'src'), { recursive: true });
    expect(await its.sync()).toMatchObject({ synced: 3, added: 1, updated: 1, removed: 1 });
    const stats = await its.daemon.client.memory.getStats();
    expect(stats).toMatchObject({ fileCount: 3, roots: [its.folder], lastSyncAt: expect.any(String) });
  });

  it('a sync without a path syncs all allowed folders', async () => {
    await its.sync();
    its.write('more.md', 'New.\n');
    expect(await its.daemon.client.memory.sync()).toMatchObject({ added: 1 });
  });

  it('a plain user syncs only within an allowed folder', async () => {
    const body = { basePath: join(its.folder, 'docs') };
    expect((await its.ask('POST', 'sync', body, its.user.headers)).status).toBe(403);
    expect((await its.ask('POST', 'sync', { basePath: '/nowhere' }, its.user.headers)).status).toBe(403);
    await its.sync();
    its.write('docs/more.md', 'New.\n');
    its.write('elsewhere.md', 'New too.\n');
    expect((await its.ask('POST', 'sync', body, its.user.headers)).body).toMatchObject({
      added: 1,
      removed: 0,
    });
    for (const basePath of [`${its.folder}/..`, `${its.folder}/docs/../..`, dirname(its.folder), 'docs'])
      expect((await its.ask('POST', 'sync', { basePath }, its.user.headers)).status).toBeGreaterThanOrEqual(
        400,
      );
  });

  it('runs one sync at a time, and returns the counts to each caller', async () => {
    const results = await Promise.all([
      its.sync(),
      its.sync(),
      its.daemon.client.memory.sync({ body: { basePath: its.folder } }),
    ]);
    for (const result of results) expect(result).toMatchObject({ synced: 3, cancelled: false });
    expect((await its.daemon.client.memory.listFiles()).total).toBe(3);
  });

  it('rejects a path that is not a folder', async () => {
    for (const basePath of [
      join(its.folder, 'notes.txt'),
      join(its.folder, 'gone'),
      '',
      'docs',
      '~',
      '/proc',
      '/',
    ])
      expect((await its.ask('POST', 'sync', { basePath })).status, basePath).toBe(400);
    expect((await its.ask('POST', 'sync', { basePath: 7 })).status).toBe(400);
    expect((await its.daemon.client.memory.getStats()).roots).toEqual([]);
  });

  it('a sync follows no symlink, and skips ignored, binary and secret files', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'svc-outside-'));
    writeFileSync(join(outside, 'plan.md'), 'The zanzibar plan.\n');
    symlinkSync(outside, join(its.folder, 'link'));
    symlinkSync(join(outside, 'plan.md'), join(its.folder, 'plan.md'));
    its.write('.gitignore', 'build/\n*.log\n');
    its.write('build/out.md', 'zanzibar\n');
    its.write('x.log', 'zanzibar\n');
    its.write('.env', 'zanzibar\n');
    its.write('node_modules/x/readme.md', 'zanzibar\n');
    its.write('photo.bin', 'zanzibar\0');
    expect((await its.sync()).skipped).toBeGreaterThanOrEqual(2);
    expect(its.pathsOf(await its.search('zanzibar'))).toEqual([]);
    rmSync(outside, { recursive: true });
  });

  it('a sync can be cancelled only while it runs', async () => {
    expect((await its.ask('DELETE', 'sync')).status).toBe(400);
  });

  it('a sync removes a folder that is no longer allowed', async () => {
    await its.sync();
    await its.daemon.client.config.update({ params: { key: 'memory.roots' }, body: { value: [] } });
    expect((await its.daemon.client.memory.listFiles()).total).toBe(0);
    expect((await its.search('backup')).chunks).toEqual([]);
  });

  it('a sync keeps the index of a folder that is temporarily missing', async () => {
    await its.sync();
    renameSync(its.folder, `${its.folder}-away`);
    expect((await its.ask('POST', 'sync')).status).toBe(400);
    expect((await its.daemon.client.memory.listFiles()).total).toBe(3);
    renameSync(`${its.folder}-away`, its.folder);
    expect(await its.sync()).toMatchObject({ synced: 3, added: 0, removed: 0 });
  });
});

describe('POST /api/memory/search', () => {
  it('finds the answer to a question without any provider', async () => {
    await its.sync();
    const found = await its.search('How do I restore a backup?');
    expect(found).toMatchObject({
      query: 'How do I restore a backup?',
      method: 'keyword',
      autoSynced: false,
      stale: false,
    });
    const [first] = found.chunks;
    expect(first).toMatchObject({ path: join(its.folder, 'docs/backup.md') });
    expect(first?.score).toBeGreaterThan(0);
    expect(first?.score).toBeLessThanOrEqual(1);
    const lines = readFileSync(join(its.folder, 'docs/backup.md'), 'utf8').split('\n');
    expect(first?.text).toBe(lines.slice((first?.startLine ?? 0) - 1, first?.endLine).join('\n'));
  });

  it('finds names in code by their parts', async () => {
    await its.sync();
    for (const query of ['enqueueTask', 'enqueue task', 'queue.ts', 'pending.push'])
      expect(its.pathsOf(await its.search(query))[0], query).toBe('src/queue.ts');
  });

  it('returns six results by default, and none below the minimum score', async () => {
    for (let at = 0; at < 10; at++) its.write(`many/${at}.md`, `Otters number ${at}\n`);
    await its.sync();
    expect((await its.search('otters')).chunks).toHaveLength(6);
    expect((await its.search('otters', { maxResults: 3 })).chunks).toHaveLength(3);
    expect((await its.search('otters', { maxResults: 100 })).chunks).toHaveLength(10);
    const { totalCandidates, chunks } = await its.search('otters', { minScore: 1 });
    expect({ totalCandidates, n: chunks.filter(({ score }) => score < 1).length }).toEqual({
      totalCandidates: 10,
      n: 0,
    });
    expect(its.pathsOf(await its.search('otters', { under: join(its.folder, 'many/3.md') }))).toEqual([
      'many/3.md',
    ]);
    expect((await its.search('otters', { under: join(its.folder, 'docs') })).chunks).toEqual([]);
  });

  it('treats any text as words', async () => {
    await its.sync();
    const odd = [
      '"',
      '" OR "',
      'NEAR(backup, 1)',
      'backup*',
      '^backup',
      'body:backup',
      'a AND',
      '(',
      '-',
      '\\',
      '%',
      "'",
      '😀',
      'ﬁ',
      'NOT',
      'the of',
      '*'.repeat(1000),
      'backup '.repeat(10_000),
      '\u202e',
      '漢字',
    ];
    for (const query of odd) {
      const { status, body } = await its.ask('POST', 'search', { query });
      expect(status, query).toBe(200);
      expect(body).toMatchObject({ query });
    }
    expect(its.pathsOf(await its.search('backup* NOT night')).length).toBeGreaterThan(0);
  });

  it.each(['search', 'why'])('treats NUL as a separator (%s)', async (route) => {
    await its.sync();
    const query = '\0backup\0night\0';
    const { status, body } = await its.ask('POST', route, { query });
    expect(status).toBe(200);
    expect(body).toMatchObject(route === 'why' ? { query, words: ['backup', 'night'] } : { query });
    expect(JSON.stringify(body)).toContain('docs/backup.md');
    expect((await its.ask('POST', route, { query: '\0' })).status).toBe(200);
    for (const elsewhere of [
      { query: 'backup', under: '/a\0b' },
      { query: 'backup', 'a\0b': 1 },
      { query: 'backup', more: { query: 'a\0b' } },
      { query: ['a\0b'] },
    ])
      expect(await its.ask('POST', route, elsewhere)).toMatchObject({
        status: 400,
        body: { error: expect.stringContaining('NUL') },
      });
  });

  it('rejects an invalid search', async () => {
    for (const body of [
      {},
      { query: '' },
      { query: 7 },
      { query: 'x', maxResults: 0 },
      { query: 'x', maxResults: 101 },
      { query: 'x', minScore: 2 },
      { query: 'x', minScore: -1 },
      { query: 'x', maxResults: 1.5 },
      { query: 'x', method: 'magic' },
    ])
      expect((await its.ask('POST', 'search', body)).status, JSON.stringify(body)).toBe(400);
  });

  it('a search reads changed files or reports stale results', async () => {
    await its.sync();
    for (let round = 0; round < 5; round++) {
      its.write('notes.txt', `The printer speaks quokka${round}.\n`);
      const found = await its.search(`quokka${round}`);
      if (!found.stale) expect(its.pathsOf(found)).toEqual(['notes.txt']);
      if (its.pathsOf(found).length > 0) expect(found.chunks[0]?.text).toContain(`quokka${round}`);
    }
    rmSync(join(its.folder, 'docs/backup.md'));
    const found = await its.search('backup night restoring');
    expect(found.stale || !its.pathsOf(found).includes('docs/backup.md')).toBe(true);
  });

  it('explains each score', async () => {
    await its.sync();
    const why = await its.daemon.client.memory.explainSearch({ body: { query: 'the nightly backup' } });
    expect(why).toMatchObject({ method: 'keyword', leftOut: ['the'] });
    const [first] = why.results;
    expect(first?.chunk.path).toBe(join(its.folder, 'docs/backup.md'));
    const sum = first?.keyword?.words.reduce((total, { points }) => total + points, 0);
    expect(first?.keyword?.points).toBeCloseTo(sum ?? 0, 6);
  });
});

describe('warming and watching', () => {
  it('warms the index up', async () => {
    await its.sync();
    for (const body of [undefined, {}, { query: 'printer' }])
      expect((await its.ask('POST', 'warm', body)).body).toMatchObject({ fileCount: 3, method: 'keyword' });
  });

  it('reports the state of the watcher', async () => {
    await its.sync();
    expect(await its.daemon.client.memory.getWatcherStatus()).toMatchObject({
      enabled: true,
      state: { syncing: false, lastSyncAt: expect.any(String), watching: true, watchedFiles: 3 },
    });
    await its.daemon.client.config.update({ params: { key: 'memory.watch' }, body: { value: false } });
    expect(await its.daemon.client.memory.getWatcherStatus()).toMatchObject({
      enabled: false,
      reason: expect.stringContaining('memory.watch'),
      state: { watching: false },
    });
    await its.daemon.client.config.update({ params: { key: 'memory.watch' }, body: { value: null } });
  });

  it('does not watch files on a very small machine, and still works', async () => {
    await using pico = await startDaemon({ flags: { mode: 'pico' } });
    expect((await send(pico, 'GET', '/api/memory/watcher/status', undefined, pico.headers)).status).toBe(501);
    await pico.client.memory.sync({ body: { basePath: its.folder } });
    const { chunks } = await pico.client.memory.search({ body: { query: 'printer' } });
    expect(chunks).toHaveLength(1);
  });

  it('the index survives a restart and a damaged file', async () => {
    await using first = await startDaemon();
    await first.client.memory.sync({ body: { basePath: its.folder } });
    await first.stop();
    await using second = await startDaemon({ home: first.home });
    expect(await second.client.memory.getStats()).toMatchObject({ fileCount: 3, roots: [its.folder] });
    await second.stop();
    writeFileSync(join(second.home, 'memory.db'), 'this is no database');
    await using third = await startDaemon({ home: first.home });
    // Nobody asks for it.
    await until(async () => expect(await third.client.memory.getStats()).toMatchObject({ fileCount: 3 }));
    expect(await third.client.memory.sync()).toMatchObject({ synced: 3, added: 0 });
  });
});
