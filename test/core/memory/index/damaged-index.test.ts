import {
  closeSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AppError } from '../../../../src/core/errors.ts';
import { silentLog } from '../../../../src/core/log.ts';
import { IndexClient } from '../../../../src/core/memory/index/index-client.ts';

const FILES = 300;
const PAGE = 4096;

let base: string;
let root: string;
let file: string;
let client: IndexClient;
let losses: number;
beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'damaged-')));
  root = join(base, 'root');
  file = join(base, 'memory.db');
  losses = 0;
  mkdirSync(root);
  for (let n = 0; n < FILES; n++)
    writeFileSync(join(root, `${n}.md`), `# Apple ${n}\n\n${`word${n} other\n`.repeat(50)}`);
  client = open();
});
afterEach(async () => {
  await client.close();
  rmSync(base, { recursive: true, force: true });
});

const open = () =>
  new IndexClient({
    options: { file, protectedDirectories: [], cacheMiB: 1 },
    log: silentLog,
    onStart: () => undefined,
    onProgress: () => undefined,
    onChange: () => undefined,
    onLost: () => losses++,
  });
async function reopen(): Promise<void> {
  await client.close();
  client = open();
}
const sync = () =>
  client.call('syncDirectory', { basePath: root, roots: [root], maxFileBytes: 1e6, maxFiles: 1000 });
const search = () => client.call('search', { text: 'apple', maxResults: 5, minScore: 0 });

/** Overwrites all pages from this one on. */
function damage(from: number): void {
  const descriptor = openSync(file, 'r+');
  for (let at = from * PAGE; at < fstatSync(descriptor).size; at += PAGE)
    writeSync(descriptor, Buffer.alloc(PAGE, 0xee), 0, PAGE, at);
  closeSync(descriptor);
}

/** Asks until there is another index, and answers what was said until then. */
async function saidUntilLost(): Promise<string[]> {
  const said: string[] = [];
  for (let asked = 0; losses === 0 && asked < 10; asked++)
    await search().then(
      ({ chunks }) => expect(chunks).toEqual([]),
      (error: unknown) => {
        expect(error).toBeInstanceOf(AppError);
        expect(error).toMatchObject({ code: 'unavailable' });
        said.push((error as AppError).message);
      },
    );
  return said;
}

it.each(['off', 'on'])('recreates an index that was damaged while the daemon was %s', async (when) => {
  expect(await sync()).toMatchObject({ added: FILES });
  await reopen();
  if (when === 'on') expect(await client.call('stats', undefined)).toMatchObject({ fileCount: FILES });
  damage(20);
  const [first] = await saidUntilLost();
  expect(first).toBe('The memory index was damaged and is being rebuilt. Try again');
  expect(await client.call('stats', undefined)).toMatchObject({ fileCount: 0, lastSyncAt: null });
  expect(await sync()).toMatchObject({ added: FILES });
  expect((await search()).chunks).toHaveLength(5);
});

it('recreates an index whose tables cannot be opened', async () => {
  await sync();
  await reopen();
  damage(1);
  expect(await saidUntilLost()).toEqual([]);
  expect(await sync()).toMatchObject({ added: FILES });
});

it('reports lost content until it is restored or cleared', async () => {
  const lose = async () => {
    await client.close();
    new DatabaseSync(file).exec('pragma user_version = 99');
    await reopen();
  };
  await sync();
  await reopen();
  await sync();
  expect(losses).toBe(0);
  for (const end of ['restored', 'clear'] as const) {
    await lose();
    losses = 0;
    await sync();
    expect(losses).toBe(1);
    await reopen();
    await client.call('stats', undefined);
    expect(losses).toBe(2);
    await client.call(end);
    await reopen();
    await client.call('stats', undefined);
    expect(losses).toBe(2);
  }
});
