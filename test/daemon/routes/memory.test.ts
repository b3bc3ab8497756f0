import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { SearchResult } from '../../../src/contract/memory.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { send } from '../../helpers/http.ts';
import { addUser, type TestUser } from '../../helpers/users.ts';

let daemon: TestDaemon;
let user: TestUser;
let folder: string;
beforeAll(async () => {
  daemon = await startDaemon();
  user = await addUser(daemon, 'ann');
});
afterAll(() => daemon[Symbol.asyncDispose]());

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
};
const ask = (method: string, path: string, body?: object, who: { cookie: string } = daemon.headers) =>
  send(daemon, method, `/api/memory/${path}`, body, who);
const key = encodeURIComponent;
const sync = () => daemon.client.memory.sync({ body: { basePath: folder } });
const search = (query: string, more: object = {}): Promise<SearchResult> =>
  daemon.client.memory.search({ body: { query, ...more } });
const pathsOf = ({ chunks }: SearchResult) => chunks.map(({ path }) => path.slice(folder.length + 1));

beforeEach(async () => {
  if (folder) {
    await daemon.client.config.set({ params: { key: 'memory.roots' }, body: { value: null } });
    rmSync(folder, { recursive: true, force: true });
  }
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-memory-')));
  write(
    'docs/backup.md',
    '# Backups\n\nA backup runs each night.\n\n## Restoring\n\nStop the daemon, then copy the file back.\n',
  );
  write('src/queue.ts', 'export function enqueueTask(id: string) {\n  return pending.push(id);\n}\n');
  write('notes.txt', 'The printer on the second floor is broken.\n');
});

describe('a fresh installation', () => {
  it('says what to do before anything is indexed', async () => {
    await using fresh = await startDaemon();
    expect(await fresh.client.memory.stats()).toMatchObject({
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
  it('counts what it did', async () => {
    expect(await sync()).toMatchObject({ synced: 3, added: 3, updated: 0, removed: 0, cancelled: false });
    expect(await sync()).toMatchObject({ synced: 3, added: 0, updated: 0, removed: 0 });
    write('notes.txt', 'The printer works again.\n');
    write('more.md', 'New.\n');
    rmSync(join(folder, 'src'), { recursive: true });
    expect(await sync()).toMatchObject({ synced: 3, added: 1, updated: 1, removed: 1 });
    const stats = await daemon.client.memory.stats();
    expect(stats).toMatchObject({ fileCount: 3, roots: [folder], lastSyncAt: expect.any(String) });
  });

  it('takes all folders that are allowed where none is given', async () => {
    await sync();
    write('more.md', 'New.\n');
    expect(await daemon.client.memory.sync()).toMatchObject({ added: 1 });
  });

  it('is for others only below a folder that is allowed', async () => {
    const body = { basePath: join(folder, 'docs') };
    expect((await ask('POST', 'sync', body, user.headers)).status).toBe(403);
    expect((await ask('POST', 'sync', { basePath: '/nowhere' }, user.headers)).status).toBe(403);
    await sync();
    write('docs/more.md', 'New.\n');
    write('elsewhere.md', 'New too.\n');
    expect((await ask('POST', 'sync', body, user.headers)).body).toMatchObject({ added: 1, removed: 0 });
    for (const basePath of [`${folder}/..`, `${folder}/docs/../..`, dirname(folder), 'docs'])
      expect((await ask('POST', 'sync', { basePath }, user.headers)).status).toBeGreaterThanOrEqual(400);
  });

  it('does one at a time, and each caller gets the counts of theirs', async () => {
    const results = await Promise.all([
      sync(),
      sync(),
      daemon.client.memory.sync({ body: { basePath: folder } }),
    ]);
    for (const result of results) expect(result).toMatchObject({ synced: 3, cancelled: false });
    expect((await daemon.client.memory.files()).total).toBe(3);
  });

  it('refuses what is no folder', async () => {
    for (const basePath of [join(folder, 'notes.txt'), join(folder, 'gone'), '', 'docs', '~', '/proc', '/'])
      expect((await ask('POST', 'sync', { basePath })).status, basePath).toBe(400);
    expect((await ask('POST', 'sync', { basePath: 7 })).status).toBe(400);
    expect((await daemon.client.memory.stats()).roots).toEqual([]);
  });

  it('follows no link, and leaves out what is ignored, binary or secret', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'svc-outside-'));
    writeFileSync(join(outside, 'plan.md'), 'The zanzibar plan.\n');
    symlinkSync(outside, join(folder, 'link'));
    symlinkSync(join(outside, 'plan.md'), join(folder, 'plan.md'));
    write('.gitignore', 'build/\n*.log\n');
    write('build/out.md', 'zanzibar\n');
    write('x.log', 'zanzibar\n');
    write('.env', 'zanzibar\n');
    write('node_modules/x/readme.md', 'zanzibar\n');
    write('photo.bin', 'zanzibar\0');
    expect((await sync()).skipped).toBeGreaterThanOrEqual(2);
    expect(pathsOf(await search('zanzibar'))).toEqual([]);
    rmSync(outside, { recursive: true });
  });

  it('can be stopped only while it runs', async () => {
    expect((await ask('DELETE', 'sync')).status).toBe(400);
  });

  it('forgets a folder that is not allowed any more', async () => {
    await sync();
    await daemon.client.config.set({ params: { key: 'memory.roots' }, body: { value: [] } });
    expect((await daemon.client.memory.files()).total).toBe(0);
    expect((await search('backup')).chunks).toEqual([]);
  });

  it('keeps what it has of a folder that is not there at the moment', async () => {
    await sync();
    renameSync(folder, `${folder}-away`);
    expect((await ask('POST', 'sync')).status).toBe(400);
    expect((await daemon.client.memory.files()).total).toBe(3);
    renameSync(`${folder}-away`, folder);
    expect(await sync()).toMatchObject({ synced: 3, added: 0, removed: 0 });
  });
});

describe('POST /api/memory/search', () => {
  it('finds a question without any provider', async () => {
    await sync();
    const found = await search('How do I restore a backup?');
    expect(found).toMatchObject({
      query: 'How do I restore a backup?',
      method: 'keyword',
      autoSynced: false,
      stale: false,
    });
    const [first] = found.chunks;
    expect(first).toMatchObject({ path: join(folder, 'docs/backup.md') });
    expect(first?.score).toBeGreaterThan(0);
    expect(first?.score).toBeLessThanOrEqual(1);
    const lines = readFileSync(join(folder, 'docs/backup.md'), 'utf8').split('\n');
    expect(first?.text).toBe(lines.slice((first?.startLine ?? 0) - 1, first?.endLine).join('\n'));
  });

  it('finds names of code by their parts', async () => {
    await sync();
    for (const query of ['enqueueTask', 'enqueue task', 'queue.ts', 'pending.push'])
      expect(pathsOf(await search(query))[0], query).toBe('src/queue.ts');
  });

  it('gives six unless told, and none below a score', async () => {
    for (let at = 0; at < 10; at++) write(`many/${at}.md`, `Otters number ${at}\n`);
    await sync();
    expect((await search('otters')).chunks).toHaveLength(6);
    expect((await search('otters', { maxResults: 3 })).chunks).toHaveLength(3);
    expect((await search('otters', { maxResults: 100 })).chunks).toHaveLength(10);
    const { totalCandidates, chunks } = await search('otters', { minScore: 1 });
    expect({ totalCandidates, n: chunks.filter(({ score }) => score < 1).length }).toEqual({
      totalCandidates: 10,
      n: 0,
    });
    expect(pathsOf(await search('otters', { under: join(folder, 'many/3.md') }))).toEqual(['many/3.md']);
    expect((await search('otters', { under: join(folder, 'docs') })).chunks).toEqual([]);
  });

  it('takes any text for words', async () => {
    await sync();
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
      const { status, body } = await ask('POST', 'search', { query });
      expect(status, query).toBe(200);
      expect(body).toMatchObject({ query });
    }
    expect(pathsOf(await search('backup* NOT night')).length).toBeGreaterThan(0);
  });

  it('complains of what makes no sense', async () => {
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
      expect((await ask('POST', 'search', body)).status, JSON.stringify(body)).toBe(400);
  });

  it('sees a file as it is now, or says that it does not', async () => {
    await sync();
    for (let round = 0; round < 5; round++) {
      write('notes.txt', `The printer speaks quokka${round}.\n`);
      const found = await search(`quokka${round}`);
      if (!found.stale) expect(pathsOf(found)).toEqual(['notes.txt']);
      if (pathsOf(found).length > 0) expect(found.chunks[0]?.text).toContain(`quokka${round}`);
    }
    rmSync(join(folder, 'docs/backup.md'));
    const found = await search('backup night restoring');
    expect(found.stale || !pathsOf(found).includes('docs/backup.md')).toBe(true);
  });

  it('says how each score came about', async () => {
    await sync();
    const why = await daemon.client.memory.why({ body: { query: 'the nightly backup' } });
    expect(why).toMatchObject({ method: 'keyword', leftOut: ['the'] });
    const [first] = why.results;
    expect(first?.chunk.path).toBe(join(folder, 'docs/backup.md'));
    const sum = first?.keyword?.words.reduce((total, { points }) => total + points, 0);
    expect(first?.keyword?.points).toBeCloseTo(sum ?? 0, 6);
  });
});

describe('files and chunks', () => {
  it('are listed a page at a time', async () => {
    await sync();
    const { files, total } = await daemon.client.memory.files();
    expect(total).toBe(3);
    expect(files.map(({ path }) => path)).toEqual(
      ['docs/backup.md', 'notes.txt', 'src/queue.ts'].map((path) => join(folder, path)),
    );
    expect(files[1]).toEqual({
      path: join(folder, 'notes.txt'),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      size: 43,
      chunkCount: 1,
      updatedAt: expect.any(String),
    });
    const page = await daemon.client.memory.files({ query: { limit: 1, offset: 1 } });
    expect(page).toMatchObject({ total: 3, limit: 1, offset: 1, files: [files[1]] });
  });

  it('are read by the path, whatever it holds', async () => {
    const odd = [
      'a b&c?d=e#f.md',
      'üñï/漢字.md',
      'quote\'"%25%2f.md',
      'line\nbreak.md',
      `${'long'.repeat(60)}.md`,
    ];
    for (const path of odd) write(path, `Text of one odd file\n`);
    await sync();
    for (const path of odd) {
      const { status, body } = await ask('GET', `files/${key(join(folder, path))}/chunks`);
      expect(status, path).toBe(200);
      expect(body).toMatchObject({
        chunks: [{ path: join(folder, path), startLine: 1, text: 'Text of one odd file' }],
      });
      expect((await ask('DELETE', `files/${key(join(folder, path))}`)).status).toBe(200);
      expect((await ask('DELETE', `files/${key(join(folder, path))}`)).status).toBe(404);
    }
  });

  it('are only keys: what is not in the index is not there', async () => {
    await sync();
    const paths = [
      '/etc/passwd',
      '../../etc/passwd',
      '/',
      folder,
      `${folder}/docs`,
      `${folder}/docs/../notes.txt`,
      `${folder}//notes.txt`,
      'notes.txt',
      'x'.repeat(4000),
      '%',
      '\0',
    ];
    for (const path of paths) {
      expect((await ask('GET', `files/${key(path)}/chunks`)).status, path).toBe(404);
      expect((await ask('DELETE', `files/${key(path)}`)).status, path).toBe(404);
    }
    expect((await daemon.client.memory.files()).total).toBe(3);
  });

  it('can be deleted one by one, until the file changes', async () => {
    await sync();
    const [chunk] = (await search('printer')).chunks;
    expect((await ask('DELETE', `chunks/${chunk?.id ?? ''}`)).body).toEqual({ message: expect.any(String) });
    expect((await ask('DELETE', `chunks/${chunk?.id ?? ''}`)).status).toBe(404);
    for (const id of ['chunk_0', 'chunk_-1', 'chunk_1e0', 'chunk_01', '1', '../x', 'x'.repeat(5000)])
      expect((await ask('DELETE', `chunks/${key(id)}`)).status, id).toBe(404);
    expect((await search('printer')).chunks).toEqual([]);
    await sync();
    expect((await search('printer')).chunks).toEqual([]);
    write('notes.txt', 'The printer is back.\n');
    await sync();
    expect(pathsOf(await search('printer'))).toEqual(['notes.txt']);
  });

  it('come back with a sync after a file was deleted from the index', async () => {
    await sync();
    expect((await ask('DELETE', `files/${key(join(folder, 'notes.txt'))}`)).status).toBe(200);
    expect((await search('printer')).chunks).toEqual([]);
    expect(await sync()).toMatchObject({ added: 1 });
  });

  it('are all deleted by an administrator only', async () => {
    await sync();
    expect((await ask('DELETE', 'all', undefined, user.headers)).status).toBe(403);
    expect((await daemon.client.memory.files()).total).toBe(3);
    expect((await ask('DELETE', 'all')).status).toBe(200);
    expect(await daemon.client.memory.stats()).toMatchObject({ fileCount: 0, chunkCount: 0 });
    expect(await sync()).toMatchObject({ added: 3 });
  });

  it('are found by everybody who may sign in', async () => {
    await sync();
    const { chunks } = await user.client.memory.search({ body: { query: 'printer' } });
    expect(chunks).toHaveLength(1);
  });
});

describe('the rest', () => {
  it('warms up', async () => {
    await sync();
    for (const body of [undefined, {}, { query: 'printer' }])
      expect((await ask('POST', 'warm', body)).body).toMatchObject({ fileCount: 3, method: 'keyword' });
  });

  it('tells how the watching goes', async () => {
    await sync();
    expect(await daemon.client.memory.watcher()).toMatchObject({
      enabled: true,
      state: { syncing: false, lastSyncAt: expect.any(String), watching: true, watchedFiles: 3 },
    });
    await daemon.client.config.set({ params: { key: 'memory.watch' }, body: { value: false } });
    expect(await daemon.client.memory.watcher()).toMatchObject({
      enabled: false,
      reason: expect.stringContaining('memory.watch'),
      state: { watching: false },
    });
    await daemon.client.config.set({ params: { key: 'memory.watch' }, body: { value: null } });
  });

  it('does not watch on a very small machine, and works all the same', async () => {
    await using pico = await startDaemon({ flags: { mode: 'pico' } });
    expect((await send(pico, 'GET', '/api/memory/watcher/status', undefined, pico.headers)).status).toBe(501);
    await pico.client.memory.sync({ body: { basePath: folder } });
    const { chunks } = await pico.client.memory.search({ body: { query: 'printer' } });
    expect(chunks).toHaveLength(1);
  });

  it('is there after a restart, and after its file was damaged', async () => {
    await using first = await startDaemon();
    await first.client.memory.sync({ body: { basePath: folder } });
    await first.stop();
    await using second = await startDaemon({ home: first.home });
    expect(await second.client.memory.stats()).toMatchObject({ fileCount: 3, roots: [folder] });
    await second.stop();
    writeFileSync(join(second.home, 'memory.db'), 'this is no database');
    await using third = await startDaemon({ home: first.home });
    expect(await third.client.memory.sync()).toMatchObject({ added: 3 });
  });
});
