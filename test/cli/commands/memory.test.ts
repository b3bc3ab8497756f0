import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Explanation, MemoryStats, SearchResult } from '../../../src/contract/memory.ts';
import { type ContractServer, Refusal, startContractServer } from '../../helpers/contract-server.ts';
import { ensureBuilt, hasTerminals, outcomeOf, SvcHome } from '../svc-binary.ts';
import { ago, idOf } from './webhook-samples.ts';
import { foundChunk, memorySession, preference, statsOf } from './memory-samples.ts';

let home: SvcHome;
let server: ContractServer;
let folder: string;
let found: Partial<SearchResult>;
let explained: Partial<Explanation>;
let stats: MemoryStats;

beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  folder = join(home.folder, 'work');
  mkdirSync(join(folder, 'notes'), { recursive: true });
  symlinkSync(join(folder, 'notes'), join(folder, 'linked'));
  return () => home[Symbol.asyncDispose]();
});
beforeEach(async () => {
  found = {};
  explained = {};
  stats = statsOf();
  const known = (path: string) => {
    if (path !== join(folder, 'notes/a.md')) throw new Refusal(404, 'File not found in the index');
    return { message: 'Deleted until the next sync of its folder' };
  };
  server = await startContractServer({
    memory: {
      search: ({ body }) => ({
        query: body.query,
        method: 'keyword',
        totalCandidates: 1,
        chunks: [foundChunk(join(folder, 'notes/a.md'))],
        autoSynced: false,
        stale: false,
        ...found,
      }),
      explainSearch: ({ body }) => ({
        query: body.query,
        method: 'hybrid',
        formula: 'the formula',
        words: ['roll'],
        leftOut: [],
        results: [],
        ...explained,
      }),
      getStats: () => stats,
      listFiles: ({ query }) => ({
        files: [
          {
            path: join(folder, 'notes/a.md'),
            hash: '0'.repeat(64),
            size: 20_000,
            chunkCount: 9,
            updatedAt: ago(3),
          },
          { path: '/elsewhere/b.md', hash: '1'.repeat(64), size: 12, chunkCount: 1, updatedAt: ago(90) },
        ].slice(0, query.limit),
        total: 2,
        limit: query.limit,
        offset: query.offset,
      }),
      listChunks: ({ params }) => {
        known(params.path);
        return {
          path: params.path,
          chunks: [
            { ...foundChunk(params.path), text: 'one\n\ntwo \u001b[2J' },
            { ...foundChunk(params.path), id: 'chunk_8', startLine: 20, endLine: 20 },
          ].map(({ score: _score, ...chunk }) => chunk),
        };
      },
      deleteFile: ({ params }) => known(params.path),
      deleteChunk: ({ params }) => ({ message: `Deleted ${params.id}` }),
      deleteAll: () => ({ message: 'The index of files is empty' }),
      warm: () => ({ fileCount: 3, chunkCount: 9321, method: 'keyword', durationMs: 40 }),
      listSessions: ({ query }) => ({
        sessions: [memorySession(1), memorySession(2, { status: 'archived' })].filter(
          ({ status }) => query.status === undefined || query.status === status,
        ),
        total: 2,
        limit: query.limit,
        offset: query.offset,
      }),
      createSession: ({ body }) => ({ session: memorySession(3, { name: body.name }) }),
      archiveSession: ({ params }) => ({ session: memorySession(1, { id: params.id, status: 'archived' }) }),
    },
    preferences: {
      list: () => ({
        preferences: [preference(1), preference(2, { category: 'answers', value: 'short' })],
        total: 2,
        limit: 2,
        offset: 0,
      }),
      track: ({ body: { category, value } }) => ({
        preference: preference(1, { category, value, count: 2, confidence: 0.6667 }),
      }),
      delete: () => ({ message: 'Forgotten' }),
    },
  });
});
afterEach(() => server[Symbol.asyncDispose]());

/** As at the daemon of this machine, in the folder of the caller. */
const here = () => ({ env: { SVC_PORT: new URL(server.url).port }, cwd: folder });
const svc = (...args: string[]) => home.svc(['memory', ...args], here());
const bodies = () => server.asked.map(({ body }) => body).filter((body) => body !== undefined);
const routes = () => server.asked.map(({ route }) => route);

describe('svc memory search', () => {
  it('memory search shows the location, the score and the best lines of each result', async () => {
    found = {
      chunks: [
        foundChunk(join(folder, 'notes/a.md')),
        foundChunk('/elsewhere/b\u001b.md', {
          startLine: 3,
          endLine: 3,
          text: 'back',
          score: 1,
          stale: true,
        }),
      ],
    };
    expect(await svc('search', 'roll', 'back')).toEqual({
      code: 0,
      stdout:
        'notes/a.md:12-14  0.83\n  Deploying > Rollback\n  12  # Rollback\n' +
        '  13  To roll back, run the script.\n  14  It takes a minute.\n\n' +
        '/elsewhere/b\\x1b.md:3  1.00  changed since\n  Deploying > Rollback\n  3  back\n',
      stderr: '',
    });
    expect(bodies()).toEqual([{ query: 'roll back', maxResults: 6, minScore: 0 }]);
    expect((await svc('search', 'x', '-q')).stdout).toBe('chunk_7\nchunk_7\n');
    const json = JSON.parse((await svc('search', 'x', '--json')).stdout) as SearchResult;
    expect(json).toMatchObject({ query: 'x', stale: false, chunks: found.chunks });
  });

  it('sends the search flags to the daemon, with paths as the index stores them', async () => {
    await svc(
      'search',
      'x',
      '--limit',
      '3',
      '--min-score',
      '.5',
      '--method',
      'vector',
      '--under',
      'linked/a.md',
    );
    expect(bodies()).toEqual([
      { query: 'x', maxResults: 3, minScore: 0.5, method: 'vector', under: join(folder, 'notes/a.md') },
    ]);
  });

  it('sends relative paths unchanged to the daemon of another machine', async () => {
    const { stdout } = await home.svc(['memory', 'search', 'x', '--under', 'notes', '--url', server.url], {
      cwd: folder,
    });
    expect(stdout).toMatch(`${folder}/notes/a.md:12-14`);
    expect(bodies()).toMatchObject([{ under: 'notes' }]);
  });

  it('says why search results may be stale or incomplete', async () => {
    found = { stale: true, autoSynced: true, reason: 'No provider is set' };
    expect((await svc('search', 'x')).stderr).toBe(
      'Changed files were re-indexed for this search.\n' +
        'Files may have changed since they were indexed. Update the index: svc memory sync\n' +
        'Searched by keywords only: No provider is set\n',
    );
    found = { reason: 'Searched by keywords only: it is away' };
    expect((await svc('search', 'x')).stderr).toBe('Searched by keywords only: it is away\n');
  });

  it.each<[string, () => void, string[], RegExp]>([
    [
      'an empty index',
      () => (stats = statsOf({ fileCount: 0 })),
      [],
      /^Nothing is indexed yet.*svc memory sync DIRECTORY\n$/,
    ],
    [
      'a narrow search',
      () => undefined,
      ['--under', 'notes', '--min-score', '0.9'],
      /without --under and --min-score\.\n$/,
    ],
    ['other words', () => undefined, [], /^Nothing found\. Try other words.*svc memory files\n$/],
    [
      'a sync under way',
      () => (stats = statsOf({ fileCount: 0, syncing: { basePath: '/n', phase: 'reading', done: 1 } })),
      [],
      /a sync is in progress/,
    ],
  ])('suggests a next step when a search finds nothing: %s', async (_, prepare, args, stderr) => {
    found = { chunks: [] };
    prepare();
    expect(await svc('search', 'x', ...args)).toMatchObject({
      code: 0,
      stdout: '',
      stderr: expect.stringMatching(stderr),
    });
  });

  it.each([
    [['search'], /missing required argument/i],
    [['search', ' '], /Missing search query\./],
    [['search', 'x', '--method', 'vectr'], /Did you mean vector\?/],
    [['search', 'x', '--min-score', 'high'], /Expected a number such as 0\.5/],
    [['forget'], /Specify files or chunks, or pass --all/],
    [['forget', 'a', '--all'], /Specify files or chunks, or pass --all/],
    [['sessions', 'ls', '--status', 'done'], /Allowed choices are active, archived/],
  ])('rejects the memory arguments %j', async (args, because) => {
    const { code, stdout, stderr } = await svc(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(because);
    expect(server.asked).toEqual([]);
  });

  it.skipIf(!hasTerminals)(
    'highlights words only on a terminal, and fits its width (needs script)',
    async () => {
      found = { chunks: [foundChunk('/n/a.md', { text: `roll ${'x'.repeat(200)}`, endLine: 12 })] };
      const running = home.startOnTerminal(['memory', 'search', 'roll', '--url', server.url], {
        columns: 60,
      });
      const { stdout } = outcomeOf(await running);
      expect(stdout).toContain('\u001b[1m\u001b[33mroll\u001b[39m\u001b[22m');
      expect(stdout).toContain('x…\r\n');
      expect((await svc('search', 'roll')).stdout).not.toContain('\u001b');
    },
  );
});

describe('svc memory why', () => {
  it('memory why shows the parts of each score', async () => {
    explained = {
      leftOut: ['how', 'the'],
      reason: undefined,
      results: [
        {
          chunk: foundChunk(join(folder, 'notes/a.md')),
          keyword: { rank: 2, points: 3.456, words: [{ word: 'roll', points: 3.456 }] },
          vector: { rank: 1, similarity: 0.71 },
        },
      ],
    };
    expect(await svc('why', 'roll')).toEqual({
      code: 0,
      stdout:
        'Method   keywords and meaning\nWords    roll\nIgnored  how, the\nScore    the formula\n\n' +
        '1  notes/a.md:12-14  0.8340\n   keywords  rank 2, 3.46 points\n     roll    3.46\n' +
        '   meaning   rank 1, similarity 0.710\n',
      stderr: '',
    });
    expect(JSON.parse((await svc('why', 'roll', '--json')).stdout)).toMatchObject({
      leftOut: ['how', 'the'],
    });
  });
});

describe('svc memory index commands', () => {
  it('counts the indexed files and chunks', async () => {
    stats = statsOf({ embeddingModel: 'ollama/nomic', embeddedCount: 12, embeddingFailure: 'it is away' });
    const { stdout, stderr } = await svc('stats');
    expect(stdout.replace(/\d{4}-\S+Z/, 'TIME')).toBe(
      'Files          1,204\nChunks         9,321\nLast sync      TIME  (3 min ago)\nSearch method  keywords\n' +
        'Model          ollama/nomic, 12 of 9,321 chunks so far\nError          it is away\n' +
        'Directories    /home/ada/notes\n',
    );
    expect(stderr).toBe('');
    stats = statsOf({
      roots: ['/docs', '/far'],
      sharedRoots: [
        { path: '/docs', host: 'web-1', daemon: 'daemon_1', online: true },
        { path: '/far', host: 'web-2', daemon: 'daemon_2', online: false },
      ],
    });
    expect((await svc('stats')).stdout).toContain(
      'Directories    /docs\n               /far\n' +
        'Read by        /docs: daemon_1 on web-1\n' +
        '               /far: no daemon now, last daemon_2 on web-2. Files that changed since are not found\n',
    );
    stats = statsOf({ lastSyncAt: null, roots: [] });
    expect((await svc('stats')).stderr).toContain('svc memory sync DIRECTORY');
  });

  it('lists the indexed files', async () => {
    const { stdout } = await svc('files');
    expect(stdout).toBe(
      'CHUNKS    SIZE  INDEXED    PATH\n     9  20 KiB  3 min ago  notes/a.md\n' +
        '     1    12 B  1 h ago    /elsewhere/b.md\n',
    );
    expect((await svc('files', '--limit', '1')).stderr).toBe('1 of 2. More: --limit, --offset\n');
    expect((await svc('files', '-q')).stdout).toBe(`${folder}/notes/a.md\n/elsewhere/b.md\n`);
  });

  it('shows an indexed file by its path', async () => {
    const shown = await svc('show', 'linked/a.md');
    expect(shown.stdout).toBe(
      'chunk_7  lines 12-14  Deploying > Rollback\n  one\n\n  two \u001b[2J\n\n' +
        'chunk_8  line 20  Deploying > Rollback\n' +
        '  # Rollback\n  To roll back, run the script.\n  It takes a minute.\n',
    );
    expect((await svc('show', 'notes/a.md', '-q')).stdout).toBe('chunk_7\nchunk_8\n');
    expect(await svc('show', 'b.md')).toEqual({
      code: 5,
      stdout: '',
      stderr: `svc: ${folder}/b.md is not indexed. List indexed files: svc memory files\n`,
    });
  });

  it('forgets indexed files by path and by chunk', async () => {
    const { code, stdout, stderr } = await svc('forget', 'linked/a.md', 'chunk_12', 'gone.md');
    expect({ code, stdout }).toEqual({ code: 5, stdout: 'linked/a.md\nchunk_12\n' });
    expect(stderr).toBe(
      'Deleted until the next sync of its folder.\nDeleted chunk_12.\n' +
        `svc: ${folder}/gone.md is not indexed. List indexed files: svc memory files\n`,
    );
  });

  it('clears the index only after confirmation', async () => {
    expect(await svc('forget', '--all')).toMatchObject({ code: 9, stderr: expect.stringContaining('--yes') });
    expect(routes()).not.toContain('DELETE /api/memory/all');
    expect(await svc('forget', '--all', '--yes')).toMatchObject({
      code: 0,
      stderr: 'The index of files is empty. Rebuild it: svc memory sync\n',
    });
    expect(routes()).toContain('DELETE /api/memory/all');
  });

  it('warms the index up', async () => {
    expect((await svc('warm', 'the', 'release')).stderr).toBe(
      'Ready in 40 ms: 9,321 chunks, searched by keywords.\n',
    );
    expect(bodies()).toEqual([{ query: 'the release' }]);
  });
});

describe('svc memory sessions and preferences', () => {
  it('lists, creates and archives memory sessions', async () => {
    const { stdout } = await svc('sessions', 'ls');
    expect(stdout.split('\n')[1]).toBe(`${idOf('memsess', 1)}  active    3 min ago  The release`);
    expect((await svc('sessions', 'ls', '-q', '-s', 'archived')).stdout).toBe(`${idOf('memsess', 2)}\n`);
    expect((await svc('sessions', 'create', 'x', '--conversation', 'conv_1')).stdout).toBe(
      `${idOf('memsess', 3)}\n`,
    );
    expect(bodies()).toEqual([{ name: 'x', conversationId: 'conv_1' }]);
    expect(await svc('sessions', 'archive', '0199a1b1')).toMatchObject({
      stdout: `${idOf('memsess', 1)}\n`,
      stderr: 'Archived The release.\n',
    });
    expect(await svc('sessions', 'archive', 'x')).toMatchObject({
      code: 5,
      stderr: 'svc: There is no memory session "x". See them: svc memory sessions ls\n',
    });
  });

  it('lists, tracks and removes preferences', async () => {
    const { stdout } = await svc('preferences', 'ls');
    expect(stdout.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['ID', 'CONFIDENCE', 'COUNT', 'LAST SEEN', 'FROM', 'PREFERENCE'],
      [idOf('pref', 1), '0.50', '1', '3 min ago', 'a person', 'tests: vitest'],
      [idOf('pref', 2), '0.50', '1', '3 min ago', 'a person', 'answers: short'],
      [''],
    ]);
    expect(await svc('preferences', 'track', 'tests', 'vitest')).toMatchObject({
      stdout: `${idOf('pref', 1)}\n`,
      stderr: 'Preference recorded 2 times, confidence 0.67.\n',
    });
    expect(await svc('preferences', 'rm', '0199a1b2', '--user', 'user_2')).toMatchObject({ code: 0 });
    expect(routes()).toContain(`DELETE /api/memory/preferences/user_2/${idOf('pref', 2)}`);
  });

  it('completes the names of memory commands', async () => {
    const complete = (...words: string[]) => home.svc(['__complete', '--', ...words], here());
    expect((await complete('memory', '')).stdout).toMatch(/^search\t.*\nwhy\t/);
    expect((await complete('memory', 'sessions', 'archive', '')).stdout).toBe(
      `${idOf('memsess', 1)}\tThe release\n`,
    );
    expect((await complete('memory', 'preferences', 'rm', '')).stdout).toContain('\ttests: vitest\n');
    expect((await complete('memory', 'forget', '')).stdout).toContain(`${folder}/notes/a.md\t9 chunks\n`);
    expect((await complete('memory', 'search', '--method', 'v')).stdout).toBe('vector\tmeaning\n');
    expect((await complete('experiences', 'ls', '--type', 't')).stdout).toContain('tool_chain\t');
  });
});
