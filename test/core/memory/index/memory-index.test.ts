import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SyncProgress } from '../../../../src/contract/memory.ts';
import { openIndexDatabase } from '../../../../src/core/memory/index/index-database.ts';
import { createMemoryIndex, type MemoryIndex } from '../../../../src/core/memory/index/memory-index.ts';

let home: string;
let index: MemoryIndex;
let progressEvents: SyncProgress[];

/** As a start of the daemon does. */
function open(): void {
  index = createMemoryIndex(
    openIndexDatabase(join(home, 'memory.db'), 4),
    { protectedDirectories: [] },
    {
      onProgress: (progress) => progressEvents.push(progress),
      onChange: () => undefined,
      onUnpublished: () => undefined,
      onError: (error) => {
        throw error;
      },
      hasPendingCalls: () => true,
    },
  );
}

async function restart(): Promise<void> {
  index.stop();
  await index.close();
  open();
}

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-index-')));
  progressEvents = [];
  for (const name of ['a', 'b']) mkdirSync(join(home, name));
  open();
});
afterEach(async () => {
  index.stop();
  await index.close();
  rmSync(home, { recursive: true });
});

const path = (name: string) => join(home, name);
function write(name: string, text: string): void {
  mkdirSync(join(path(name), '..'), { recursive: true });
  writeFileSync(path(name), text);
}
const rules = (roots = ['a', 'b']) => ({ roots: roots.map(path), maxFileBytes: 1e6, maxFiles: 1e5 });
const sync = (name: string, roots?: string[]) =>
  index.calls.syncDirectory({ basePath: path(name), ...rules(roots) });
async function search(text: string, roots?: string[]) {
  const query = { text, maxResults: 10, minScore: 0, sync: rules(roots) };
  const { chunks, stale } = await index.calls.search(query);
  return { found: chunks.map((chunk) => chunk.path.slice(home.length + 1)), stale };
}
/** Stamps of files are coarse. */
const later = async () => {
  const since = Date.now();
  await vi.waitFor(() => expect(Date.now() - since).toBeGreaterThan(120), 20_000);
};

describe('a search after syncs', () => {
  it('a search sees files saved while the daemon was off', async () => {
    write('a/old.md', 'quince');
    await later();
    await sync('a');
    await sync('b');
    await later();
    write('a/new.md', 'persimmon');
    await restart();
    await later();
    await sync('b');
    expect(await search('persimmon')).toEqual({ found: ['a/new.md'], stale: false });
  });

  it('a search is stale until every folder was completely synced', async () => {
    write('a/old.md', 'quince');
    await sync('b');
    expect(await search('quince')).toEqual({ found: [], stale: true });
    expect(await search('quince', ['b'])).toEqual({ found: [], stale: false });
    const cancelled = sync('a');
    index.calls.cancelSync();
    expect(await cancelled).toMatchObject({ cancelled: true });
    expect(await search('quince')).toMatchObject({ stale: true });
    await restart();
    expect(await search('quince')).toMatchObject({ stale: true });
    await sync('a');
    expect(await search('quince')).toEqual({ found: ['a/old.md'], stale: false });
  });

  it('a search sees new files after a cancelled sync', async () => {
    await sync('a');
    await sync('b');
    await later();
    write('a/new.md', 'persimmon');
    const cancelled = sync('a');
    index.calls.cancelSync();
    await cancelled;
    expect(await search('persimmon')).toEqual({ found: ['a/new.md'], stale: false });
  });

  it('a search does not find removed files after a restart until they change or are synced', async () => {
    write('a/old.md', 'quince');
    await later();
    await sync('a');
    await sync('b');
    write('a/old.md', 'quince jam');
    expect(await search('jam')).toMatchObject({ found: ['a/old.md'] });
    index.calls.removeFile(path('a/old.md'));
    await restart();
    expect(await search('jam')).toMatchObject({ found: [] });
    await sync('a');
    expect(await search('jam')).toMatchObject({ found: ['a/old.md'] });
  });

  it('a search reports the files that it synced', async () => {
    await sync('a');
    const before = index.calls.stats(undefined).lastSyncAt;
    await later();
    write('a/new.md', 'persimmon');
    progressEvents = [];
    await search('persimmon', ['a']);
    expect(progressEvents).toEqual([{ basePath: path('a'), phase: 'done', done: 1 }]);
    expect(index.calls.stats(undefined).lastSyncAt).not.toBe(before);
  });
});

describe('folders that are no longer indexed', () => {
  it('removes files of removed roots even during a running or queued sync', async () => {
    for (let at = 0; at < 2000; at++) write(`a/${at % 20}/${at}.md`, 'quince '.repeat(200));
    const syncs = [sync('a'), sync('b'), sync('a')];
    await vi.waitFor(() => expect(index.calls.stats(undefined).fileCount).toBeGreaterThan(0), 20_000);
    await index.calls.keepOnly([path('b')]);
    expect((await Promise.all(syncs)).map(({ cancelled }) => cancelled)).toEqual([true, false, true]);
    expect(index.calls.stats(undefined).fileCount).toBe(0);
    expect(await search('quince')).toMatchObject({ stale: true });
  });

  it('keeps files of overlapping roots searchable by the same paths as a new index', async () => {
    write('a/innerword/b.md', 'quince');
    const found = async (roots: string[]) => {
      await sync('a', roots);
      return (await search('innerword', roots)).found;
    };
    expect(await found(['a'])).toEqual(['a/innerword/b.md']);
    expect(await found(['a', 'a/innerword'])).toEqual([]);
    expect(await found(['a'])).toEqual(['a/innerword/b.md']);
  });
});

it('does not cancel a sync that was requested after the cancel', async () => {
  write('a/old.md', 'quince');
  const before = [sync('a'), sync('b'), sync('b')];
  index.calls.cancelSync();
  expect(await sync('b')).toMatchObject({ cancelled: false });
  for (const outcome of await Promise.all(before)) expect(outcome.cancelled).toBe(true);
});
