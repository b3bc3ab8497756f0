import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MemoryWorld } from './memory-world.ts';

const key = encodeURIComponent;

let its: MemoryWorld;
beforeAll(async () => {
  its = await MemoryWorld.open();
});
afterAll(() => its[Symbol.asyncDispose]());
beforeEach(() => its.plant());

describe('files and chunks', () => {
  it('lists files and chunks in pages', async () => {
    await its.sync();
    const { files, total } = await its.daemon.client.memory.listFiles();
    expect(total).toBe(3);
    expect(files.map(({ path }) => path)).toEqual(
      ['docs/backup.md', 'notes.txt', 'src/queue.ts'].map((path) => join(its.folder, path)),
    );
    expect(files[1]).toEqual({
      path: join(its.folder, 'notes.txt'),
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      size: 43,
      chunkCount: 1,
      updatedAt: expect.any(String),
    });
    const page = await its.daemon.client.memory.listFiles({ query: { limit: 1, offset: 1 } });
    expect(page).toMatchObject({ total: 3, limit: 1, offset: 1, files: [files[1]] });
  });

  it('reads a file by its path, whatever characters it contains', async () => {
    const odd = [
      'a b&c?d=e#f.md',
      'üñï/漢字.md',
      'quote\'"%25%2f.md',
      'line\nbreak.md',
      `${'long'.repeat(60)}.md`,
    ];
    for (const path of odd) its.write(path, `Text of one odd file\n`);
    await its.sync();
    for (const path of odd) {
      const { status, body } = await its.ask('GET', `files/${key(join(its.folder, path))}/chunks`);
      expect(status, path).toBe(200);
      expect(body).toMatchObject({
        chunks: [{ path: join(its.folder, path), startLine: 1, text: 'Text of one odd file' }],
      });
      expect((await its.ask('DELETE', `files/${key(join(its.folder, path))}`)).status).toBe(200);
      expect((await its.ask('DELETE', `files/${key(join(its.folder, path))}`)).status).toBe(404);
    }
  });

  it('a path that is not in the index is not found', async () => {
    await its.sync();
    const paths = [
      '/etc/passwd',
      '../../etc/passwd',
      '/',
      its.folder,
      `${its.folder}/docs`,
      `${its.folder}/docs/../notes.txt`,
      `${its.folder}//notes.txt`,
      'notes.txt',
      'x'.repeat(4000),
      '%',
      '\0',
    ];
    for (const path of paths) {
      expect((await its.ask('GET', `files/${key(path)}/chunks`)).status, path).toBe(404);
      expect((await its.ask('DELETE', `files/${key(path)}`)).status, path).toBe(404);
    }
    expect((await its.daemon.client.memory.listFiles()).total).toBe(3);
  });

  it('deletes indexed files one by one, until the file changes', async () => {
    await its.sync();
    const [chunk] = (await its.search('printer')).chunks;
    expect((await its.ask('DELETE', `chunks/${chunk?.id ?? ''}`)).body).toEqual({
      message: expect.any(String),
    });
    expect((await its.ask('DELETE', `chunks/${chunk?.id ?? ''}`)).status).toBe(404);
    for (const id of ['chunk_0', 'chunk_-1', 'chunk_1e0', 'chunk_01', '1', '../x', 'x'.repeat(5000)])
      expect((await its.ask('DELETE', `chunks/${key(id)}`)).status, id).toBe(404);
    expect((await its.search('printer')).chunks).toEqual([]);
    await its.sync();
    expect((await its.search('printer')).chunks).toEqual([]);
    its.write('notes.txt', 'The printer is back.\n');
    await its.sync();
    expect(its.pathsOf(await its.search('printer'))).toEqual(['notes.txt']);
  });

  it('a sync restores a file that was deleted from the index', async () => {
    await its.sync();
    expect((await its.ask('DELETE', `files/${key(join(its.folder, 'notes.txt'))}`)).status).toBe(200);
    expect((await its.search('printer')).chunks).toEqual([]);
    expect(await its.sync()).toMatchObject({ added: 1 });
  });

  it('only an administrator clears the index', async () => {
    await its.sync();
    expect((await its.ask('DELETE', 'all', undefined, its.user.headers)).status).toBe(403);
    expect((await its.daemon.client.memory.listFiles()).total).toBe(3);
    expect((await its.ask('DELETE', 'all')).status).toBe(200);
    expect(await its.daemon.client.memory.getStats()).toMatchObject({ fileCount: 0, chunkCount: 0 });
    expect(await its.sync()).toMatchObject({ added: 3 });
  });

  it('every user can search the index', async () => {
    await its.sync();
    const { chunks } = await its.user.client.memory.search({ body: { query: 'printer' } });
    expect(chunks).toHaveLength(1);
  });
});
