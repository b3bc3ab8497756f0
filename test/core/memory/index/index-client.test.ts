import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { SyncProgress } from '../../../../src/contract/memory.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { silentLog } from '../../../../src/core/log.ts';
import type { IndexQuery } from '../../../../src/core/memory/index/index-calls.ts';
import { IndexClient, type IndexClientDeps } from '../../../../src/core/memory/index/index-client.ts';
import { sized } from '../../../helpers/long.ts';

/** Answers with what it was asked since its start, and does what the text of a query says. */
const ODD_THREAD = `
  import { parentPort, workerData } from 'node:worker_threads';
  const asked = [];
  if (workerData.fails) throw new Error('no start');
  parentPort.on('message', (message) => {
    if (message === 'close') return workerData.hangs ? undefined : process.exit(0);
    const { id, call, argument } = message;
    asked.push(call);
    const answer = (value) => parentPort.postMessage({ type: 'answer', id, value });
    if (call === 'watch') return answer(undefined);
    if (call === 'putVectors') return answer(argument.vectors.map(({ values }) => values.length));
    switch (argument?.text) {
      case 'throw': setImmediate(() => { throw new Error('thrown in the thread') }); break;
      case 'exit': process.exit(3);
      case 'memory': { const all = []; for (;;) all.push(new Array(1e6).fill(all)); }
      case 'loop': for (;;);
      case 'never': break;
      case 'awaited': answer(Atomics.load(workerData.pendingCalls, 0)); break;
      case 'app error': parentPort.postMessage({ type: 'failure', id, code: 'storage_full', message: 'No room' }); break;
      case 'bug': parentPort.postMessage({ type: 'failure', id, message: 'a bug', stack: 'there' }); break;
      default: answer(asked);
    }
  });
`;

class World implements AsyncDisposable {
  readonly base = realpathSync(mkdtempSync(join(tmpdir(), 'index-')));
  readonly root = join(this.base, 'root');
  readonly warnings: string[] = [];
  readonly progress: SyncProgress[] = [];
  starts = 0;
  onStart: IndexClientDeps['onStart'] = () => undefined;
  client = this.open();

  open(given: Partial<IndexClientDeps> = {}): IndexClient {
    mkdirSync(this.root, { recursive: true });
    const record = (_fields: object, message: string) => void this.warnings.push(message);
    return new IndexClient({
      options: { file: join(this.base, 'memory.db'), protectedDirectories: [], cacheMiB: 8 },
      log: { ...silentLog, warn: record, error: record },
      onStart: () => {
        this.starts++;
        return this.onStart();
      },
      onProgress: (progress) => this.progress.push(progress),
      onChange: () => undefined,
      ...given,
    });
  }

  /** With a scripted thread. */
  odd(given: Partial<IndexClientDeps> = {}, options: object = {}): IndexClient {
    const file = join(this.base, 'odd.mjs');
    writeFileSync(file, ODD_THREAD);
    this.client = this.open({
      thread: pathToFileURL(file),
      options: { file: join(this.base, 'memory.db'), protectedDirectories: [], cacheMiB: 8, ...options },
      ...given,
    });
    return this.client;
  }

  get rules() {
    return { roots: [this.root], maxFileBytes: 1e6, maxFiles: 100_000 };
  }

  write(files: number): void {
    for (let n = 0; n < files; n++) {
      mkdirSync(join(this.root, `${n % 20}`), { recursive: true });
      writeFileSync(
        join(this.root, `${n % 20}`, `${n}.md`),
        `# Title ${n}\n\n${`word${n} other\n`.repeat(50)}`,
      );
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client.close();
    rmSync(this.base, { recursive: true, force: true });
  }
}

const ask = (text: string): IndexQuery => ({ text, maxResults: 5, minScore: 0 });
const failed = new AppError('unavailable', 'The memory index failed. Try again');

describe('the thread of the index', () => {
  it('starts with the first call, syncs and reports progress', async () => {
    await using its = new World();
    its.write(3);
    expect(its.client.isRunning).toBe(false);
    const outcome = await its.client.call('syncDirectory', { basePath: its.root, ...its.rules });
    expect(outcome).toMatchObject({ synced: 3, added: 3, cancelled: false });
    expect(its.progress.at(-1)).toMatchObject({ basePath: its.root, phase: 'done' });
    expect(await its.client.call('files', { limit: 10, offset: 0 })).toMatchObject({ total: 3 });
    expect(await its.client.call('chunksOf', join(its.root, 'none'))).toBe(undefined);
    expect([its.client.isRunning, its.starts]).toEqual([true, 1]);
  });

  it('does not block the daemon while it syncs thousands of files', async () => {
    const files = sized(1000, 3000);
    await using its = new World();
    its.write(files);
    await its.client.call('stats', undefined);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns++;
      if (!isDone) setImmediate(count);
    };
    count();
    const outcome = await its.client.call('syncDirectory', { basePath: its.root, ...its.rules });
    isDone = true;
    expect(outcome.added).toBe(files);
    expect(turns).toBeGreaterThan(files / 3);
  });

  it('answers calls during a sync', async () => {
    await using its = new World();
    its.write(sized(700, 2000));
    const order: string[] = [];
    await its.client.call('stats', undefined);
    const syncing = its.client
      .call('syncDirectory', { basePath: its.root, ...its.rules })
      .then(() => order.push('synced'));
    for (let n = 0; n < 5; n++) await its.client.call('watchStatus');
    order.push('answered');
    await syncing;
    expect(order).toEqual(['answered', 'synced']);
  });

  it('shares the number of pending calls without syncs with its thread', async () => {
    await using its = new World();
    const client = its.odd();
    const pendingCalls = () => client.call('search', ask('awaited'));
    expect(await pendingCalls()).toBe(1);
    const sync = Object.assign({ basePath: its.root, ...its.rules }, { text: 'never' });
    const never = [client.call('syncDirectory', sync), client.call('search', ask('never'))];
    expect(await pendingCalls()).toBe(2);
    await expect(client.call('search', ask('bug'))).rejects.toThrow('a bug');
    expect(await pendingCalls()).toBe(2);
    await Promise.all([client.close(), Promise.allSettled(never)]);
  });

  it('passes errors on with their codes', async () => {
    await using its = new World();
    const none = join(its.root, 'none');
    await expect(its.client.call('syncDirectory', { basePath: none, ...its.rules })).rejects.toEqual(
      new AppError('validation', `There is no folder ${none}`),
    );
    const client = its.odd();
    const error = await client.call('search', ask('app error')).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AppError);
    expect(error).toMatchObject({ code: 'storage_full', message: 'No room' });
    const bug = await client.call('search', ask('bug')).catch((thrown: unknown) => thrown);
    expect(bug).not.toBeInstanceOf(AppError);
    expect(bug).toMatchObject({ message: 'a bug', stack: 'there' });
  });

  it('holds other calls back until the entries are indexed', async () => {
    await using its = new World();
    const entries = Promise.withResolvers<void>();
    its.onStart = () => entries.promise.then(() => client.call('putEntries', []));
    const client = its.odd();
    const found = client.call('search', ask('one'));
    entries.resolve();
    expect(await found).toEqual(['putEntries', 'search']);
    expect(await client.call('search', ask('two'))).toEqual(['putEntries', 'search', 'search']);
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no')), 'the memory index received no entries'],
    ['does not end', () => new Promise<void>(() => undefined), 'the memory index has no entries yet'],
  ])('continues without entries when that %s', async (_how, onStart, message) => {
    await using its = new World();
    its.onStart = onStart;
    const client = its.odd({ startMs: 20 });
    expect(await client.call('search', ask('one'))).toEqual(['search']);
    expect(its.warnings).toEqual([message]);
  });

  it.each(['throw', 'exit', 'memory'])('restarts with the next call after a failure (%s)', async (fault) => {
    await using its = new World();
    const client = its.odd();
    await client.call('watch', { ...its.rules, watchFiles: 10 });
    its.onStart = () => client.call('putEntries', []);
    const [waits, fails] = await Promise.allSettled([
      client.call('search', ask('never')),
      client.call('search', ask(fault)),
    ]);
    expect([waits, fails]).toMatchObject([
      { status: 'rejected', reason: { code: failed.code, message: failed.message } },
      { status: 'rejected', reason: { code: failed.code, message: failed.message } },
    ]);
    expect(client.isRunning).toBe(false);
    expect(its.warnings).toEqual(['the memory index failed; the next call starts it again']);
    expect(await client.call('search', ask('one'))).toEqual(['putEntries', 'watch', 'search']);
    await client.call('watch', undefined);
    await client.call('search', ask('exit')).catch(() => undefined);
    expect(await client.call('search', ask('one'))).toEqual(['putEntries', 'search']);
    expect(its.starts).toBe(3);
  });

  it('entries do not restart an index thread that died', async () => {
    await using its = new World();
    const client = its.odd({}, { fails: true });
    const late: Promise<unknown>[] = [];
    its.onStart = async () => {
      const given = dead.promise.then(async () => {
        await client.call('putEntries', []);
      });
      late.push(
        given,
        dead.promise.then(() => client.call('removeEntries', [])),
      );
      await given;
    };
    const dead = Promise.withResolvers<void>();
    await expect(client.call('search', ask('one'))).rejects.toMatchObject({ code: failed.code });
    dead.resolve();
    const outcomes = await Promise.allSettled(late);
    await yieldToEventLoop();
    const rejected = { status: 'rejected', reason: { code: failed.code, message: failed.message } };
    expect(outcomes).toMatchObject([rejected, rejected]);
    expect([its.starts, client.isRunning]).toEqual([1, false]);
    expect(its.warnings).toEqual(['the memory index failed; the next call starts it again']);
  });

  it('a new index thread gets no entries meant for its predecessor', async () => {
    await using its = new World();
    const client = its.odd();
    const isNext = Promise.withResolvers<void>();
    const late = Promise.withResolvers<PromiseSettledResult<unknown>[]>();
    its.onStart = async () => {
      if (its.starts > 1) return client.call('putEntries', []);
      await client.call('putEntries', []);
      const given = isNext.promise.then(() => client.call('putEntries', []));
      late.resolve(Promise.allSettled([given]));
    };
    await expect(client.call('search', ask('exit'))).rejects.toMatchObject({ code: failed.code });
    expect(await client.call('search', ask('one'))).toEqual(['putEntries', 'search']);
    isNext.resolve();
    expect(await late.promise).toMatchObject([{ status: 'rejected', reason: { code: failed.code } }]);
    // Calls from elsewhere are not part of the start.
    await client.call('putEntries', []);
    expect(await client.call('search', ask('two'))).toEqual(['putEntries', 'search', 'putEntries', 'search']);
    await client.call('search', ask('exit')).catch(() => undefined);
    await client.call('putEntries', []);
    expect(its.starts).toBe(3);
  });

  it('fails every call when the database cannot be opened', async () => {
    await using its = new World();
    mkdirSync(join(its.base, 'memory.db', 'inside'), { recursive: true });
    await expect(its.client.call('stats', undefined)).rejects.toMatchObject({ code: 'unavailable' });
    await expect(its.client.call('stats', undefined)).rejects.toMatchObject({ code: 'unavailable' });
    expect(its.starts).toBe(2);
  });

  it('transfers vectors without a copy where possible, except those of queries', async () => {
    await using its = new World();
    const client = its.odd();
    const own = new Float32Array(8);
    const shared = new Float32Array(8);
    const vectors = [own, own, shared.subarray(0, 4), shared.subarray(4)].map((values) => ({
      hash: '',
      values,
    }));
    expect(await client.call('putVectors', { model: 'm', vectors })).toEqual([8, 8, 4, 4]);
    expect([own.length, shared.length]).toEqual([0, 8]);
    const query = new Float32Array(8);
    await client.call('search', { ...ask('one'), vector: { model: 'm', values: query } });
    expect(query.length).toBe(8);
  });

  it('rejects an argument that cannot be sent and continues', async () => {
    await using its = new World();
    const client = its.odd();
    const vectors = [{ hash: '', values: (() => 1) as unknown as Float32Array }];
    await expect(client.call('putVectors', { model: 'm', vectors })).rejects.toThrow('could not be cloned');
    expect(await client.call('search', ask('one'))).toEqual(['search']);
  });

  it.each(['at once', 'while it starts', 'while it syncs', 'while it watches'])(
    'the index client closes %s',
    async (when) => {
      await using its = new World();
      const { client } = its;
      its.write(500);
      if (when === 'at once') {
        await client.close();
        expect(its.starts).toBe(0);
      }
      if (when === 'while it starts') {
        const call = client.call('stats', undefined).catch((error: unknown) => error);
        await client.close();
        expect(await call).toMatchObject({ code: 'unavailable' });
      }
      if (when === 'while it syncs') {
        await client.call('stats', undefined);
        const syncs = [its.root, join(its.root, '1')].map((basePath) =>
          client.call('syncDirectory', { basePath, ...its.rules }),
        );
        await client.close();
        expect(await Promise.all(syncs)).toMatchObject([{ cancelled: true }, { cancelled: true }]);
      }
      if (when === 'while it watches') {
        await client.call('syncDirectory', { basePath: its.root, ...its.rules });
        await client.call('watch', { ...its.rules, watchFiles: 1000 });
        expect(await client.call('watchStatus')).toMatchObject({ watching: true, watchedFiles: 500 });
        void client.call('watch', { ...its.rules, roots: [join(its.root, '1')], watchFiles: 1000 });
        await client.close();
      }
      expect(its.warnings).toEqual([]);
      await expect(client.call('stats', undefined)).rejects.toMatchObject({ message: 'The daemon stops' });
    },
  );

  it.each(['never', 'loop'])('terminates an index thread that does not exit (%s)', async (fault) => {
    await using its = new World();
    const client = its.odd({ closeMs: 50 }, { hangs: true });
    await client.call('search', ask('one'));
    const call = client.call('search', ask(fault)).catch((error: unknown) => error);
    await client.close();
    expect(await call).toMatchObject({ code: 'unavailable', message: 'The daemon stops' });
    expect(its.warnings).toEqual(['the memory index did not exit and is terminated']);
  });
});
