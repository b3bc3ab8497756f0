import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryStats, SyncResult, WatcherStatus } from '../../../src/contract/memory.ts';
import { type ContractServer, Refusal, startContractServer } from '../../helpers/contract-server.ts';
import { ensureBuilt, hasTerminals, outcomeOf, said, SvcHome } from '../svc-binary.ts';
import { ago } from './webhook-samples.ts';
import { statsOf, synced } from './memory-samples.ts';

let home: SvcHome;
let server: ContractServer;
let folder: string;
let stats: MemoryStats;
let watcher: WatcherStatus;
/** What the sync answers, once that is known. */
let sync: () => Promise<SyncResult>;

beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  folder = join(home.folder, 'work');
  mkdirSync(folder);
  return () => home[Symbol.asyncDispose]();
});
beforeEach(async () => {
  stats = statsOf();
  sync = async () => synced();
  watcher = {
    enabled: true,
    state: { dirty: false, syncing: false, lastSyncAt: ago(3), watchedFiles: 1204, watching: true },
  };
  server = await startContractServer({
    memory: {
      getStats: () => stats,
      sync: () => sync(),
      getWatcherStatus: () => watcher,
    },
  });
});
afterEach(() => server[Symbol.asyncDispose]());

/** As at the daemon of this machine, in the folder of the caller. */
const here = () => ({ env: { SVC_PORT: new URL(server.url).port }, cwd: folder });
const svc = (...args: string[]) => home.svc(['memory', ...args], here());
const bodies = () => server.asked.map(({ body }) => body).filter((body) => body !== undefined);

describe('svc memory sync', () => {
  it('prints the result of a sync', async () => {
    expect(await svc('sync', 'notes')).toEqual({
      code: 0,
      stdout:
        'Indexed  1,204 files\nAdded    12\nUpdated  3\nRemoved  1\n' +
        'Skipped  14\n           10 binary\n           4 too large\nTook     2.3 s\n',
      stderr: 'Search it: svc memory search QUERY\n',
    });
    expect(await svc('sync', '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse((await svc('sync', '--json')).stdout)).toEqual(synced());
    expect(bodies()).toEqual([{ basePath: join(folder, 'notes') }, {}, {}]);
  });

  it('says why not all files are found by meaning yet', async () => {
    sync = async () => synced({ embeddingFailure: 'The provider is away\u001b[2J' });
    const { code, stdout, stderr } = await svc('sync');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr:
        'Search by meaning does not cover all files yet: The provider is away\\x1b[2J\n' +
        'It is retried automatically. See the progress: svc memory stats\nSearch it: svc memory search QUERY\n',
    });
    expect(stdout).toMatch(/^Indexed .*2\.3 s\n$/s);
    expect(await svc('sync', '-q')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(JSON.parse((await svc('sync', '--json')).stdout)).toHaveProperty('embeddingFailure');
  });

  it('memory sync exits with 3 when another client cancels it', async () => {
    sync = async () => synced({ cancelled: true });
    const { code, stderr } = await svc('sync', 'notes');
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: 'Stopped; files indexed so far are kept. Continue: svc memory sync notes\n',
    });
    expect((await svc('sync', '--json')).code).toBe(3);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('cancels the sync at the daemon on %s, even before it has started', async (signal, code) => {
    const stopped = Promise.withResolvers<SyncResult>();
    const begun = Promise.withResolvers<void>();
    let asked = 0;
    sync = () => {
      begun.resolve();
      return stopped.promise;
    };
    server.answers.memory = {
      ...server.answers.memory,
      cancelSync: () => {
        if (++asked === 1) throw new Refusal(400, 'No sync is running');
        stopped.resolve(synced({ cancelled: true }));
        return { message: 'The sync is stopped' };
      },
    };
    const running = home.start(['memory', 'sync'], here());
    await begun.promise;
    running.kill(signal);
    const outcome = outcomeOf(await running);
    expect(outcome.code, outcome.stderr).toBe(code);
    expect(outcome.stderr).toContain('Continue: svc memory sync\n');
    expect(asked).toBe(2);
  });

  it('finishes a sync whose connection a proxy cut, once the daemon has finished', async () => {
    let calls = 0;
    let looks = 0;
    sync = async () => {
      if (++calls === 1) throw new Refusal(504, 'Gateway Timeout');
      return synced({ added: 0 });
    };
    server.answers.memory = {
      ...server.answers.memory,
      getStats: () =>
        ++looks < 3 ? statsOf({ syncing: { basePath: '/n', phase: 'reading', done: 1 } }) : statsOf(),
    };
    const { code, stderr } = await svc('sync');
    expect({ code, calls, looks }).toEqual({ code: 0, calls: 2, looks: 3 });
    expect(stderr).toContain('lost during the sync');
  });

  it('memory sync fails with the error of the daemon', async () => {
    sync = async () => {
      throw new Refusal(403, 'Only an administrator can allow this folder to be indexed');
    };
    const { code, stdout, stderr } = await svc('sync', 'notes');
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/^svc: Only an administrator/);
  });

  it.skipIf(!hasTerminals)(
    'shows the progress of a sync on a terminal (needs script of util-linux)',
    async () => {
      const answer = Promise.withResolvers<SyncResult>();
      sync = () => answer.promise;
      stats = statsOf({ syncing: { basePath: '/home/ada/notes', phase: 'reading', done: 300, total: 1200 } });
      const running = home.startOnTerminal(['memory', 'sync', '--url', server.url]);
      expect(await said(running, 'stdout', /reading/)).toContain(
        'reading ━━━━━─────────────── 300 of 1,200 files  /home/ada/notes',
      );
      answer.resolve(synced());
      expect(outcomeOf(await running).code).toBe(0);
    },
  );
});

describe('svc memory watch', () => {
  it('shows the state of the watcher, then the result of each sync', async () => {
    const running = home.start(['memory', 'watch'], here());
    const shown = said(running, 'stdout', /Last sync.*\n/);
    await said(running, 'stderr', /Following syncs/);
    expect(await shown).toMatch(
      /^Watching +1,204 files\nChanges +all are indexed\nLast sync .*\(3 min ago\)/,
    );
    const told = said(running, 'stdout', /done/);
    const progress = { basePath: '/n', phase: 'reading', done: 5, total: 10 } as const;
    const at = new Date().toISOString();
    server.tell({ type: 'memory', at, progress });
    server.tell({ type: 'memory', at, progress: { ...progress, done: 6 } });
    server.tell({ type: 'memory', at, progress: { ...progress, phase: 'done', done: 10 } });
    expect((await told).trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^[\d:]{8} {2}reading ━{10}─{10} 5 of 10 files {2}\/n$/),
      expect.stringMatching(/done ━{20} 10 of 10 files/),
    ]);
    server.hangUp();
    const { code, stderr } = outcomeOf(await running);
    expect({ code, stderr }).toMatchObject({
      code: 69,
      stderr: expect.stringContaining('Reconnect: svc memory watch'),
    });
  });

  it('memory watch shows full syncs as well as syncs of the watcher', async () => {
    const running = home.start(['memory', 'watch'], here());
    await said(running, 'stderr', /Following syncs/);
    const told = said(running, 'stdout', / done [^]* done .*\n/);
    const at = new Date().toISOString();
    const notes = join(folder, 'notes');
    const embedding = { basePath: notes, phase: 'embedding', done: 5, total: 10 } as const;
    const looking = { basePath: '/other', phase: 'looking', done: 7 } as const;
    for (const progress of [
      embedding,
      { basePath: notes, phase: 'done', done: 3 } as const,
      { basePath: notes, phase: 'done', done: 1 } as const,
      { ...embedding, done: 10 },
      { ...embedding, phase: 'done', done: 10 } as const,
      looking,
      { ...looking, phase: 'done' } as const,
    ])
      server.tell({ type: 'memory', at, progress });
    const lines = (await told).trimEnd().split('\n');
    expect(lines.filter((line) => /^[\d:]{8} /.test(line)).map((line) => line.slice(10))).toEqual([
      expect.stringMatching(/^embedding ━{10}─{10} 5 of 10 files/),
      'notes  3 files',
      'notes  1 file',
      expect.stringMatching(/^done ━{20} 10 of 10 files/),
      'looking 7 files  /other',
      'done 7 files  /other',
    ]);
    running.kill('SIGINT');
    await running;
  });

  it('says why no folder is watched', async () => {
    watcher = {
      ...watcher,
      enabled: false,
      reason: 'The setting is off',
      state: { ...watcher.state, watching: false },
    };
    expect(JSON.parse((await svc('watch', '--json')).stdout)).toEqual(watcher);
    const running = home.start(['memory', 'watch'], here());
    const shown = said(running, 'stdout', /Reason.*\n/);
    await said(running, 'stderr', /each search checks for changed files itself/);
    expect(await shown).toMatch(/Watching +no\nReason +The setting is off\n/);
    running.kill('SIGINT');
    await running;
  });
});
