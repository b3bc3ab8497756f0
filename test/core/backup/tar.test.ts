import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readTar } from '../../../src/core/backup/tar-reader.ts';
import { headerOf, type SampleEntry, tarOf } from './backup-samples.ts';

/** In pieces that end in the middle of everything. */
async function* pieces(bytes: Buffer, size = 700): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(bytes: Buffer): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for await (const { name, content } of readTar(pieces(bytes))) {
    let text = '';
    for await (const part of content) text += part.toString();
    found.push([name, text]);
  }
  return found;
}

const entries: SampleEntry[] = [
  { name: 'a', content: Buffer.from('one') },
  { name: 'archive/b', content: Buffer.from('x'.repeat(1024)) },
  { name: 'c', content: Buffer.alloc(0) },
];

describe('an archive', () => {
  it('is read as it was written', async () => {
    expect(await read(tarOf(entries))).toEqual(
      entries.map(({ name, content }) => [name, content.toString()]),
    );
  });

  it('is one that tar can read', () => {
    const { stdout, status } = spawnSync('tar', ['-xOf', '-', 'a', 'archive/b'], { input: tarOf(entries) });
    expect(status).toBe(0);
    expect(stdout.toString()).toBe(`one${'x'.repeat(1024)}`);
  });

  it('may be filled up to the records of other programs', async () => {
    expect(await read(tarOf(entries, Buffer.alloc(10_240)))).toHaveLength(3);
  });

  it('keeps sizes that do not fit the octal field', async () => {
    const [a] = entries;
    if (!a) throw new Error('no entry');
    const header = headerOf({
      ...a,
      change: (bytes) => {
        bytes[124] = 0x80;
        bytes.writeBigUInt64BE(9_000_000_000n, 128);
      },
    });
    const { value } = await readTar(pieces(header)).next();
    expect(value).toMatchObject({ bytes: 9_000_000_000 });
  });

  const [first] = entries;
  it.each<[string, Buffer]>([
    [
      'a symbolic link',
      tarOf([{ ...first, name: 'l', content: Buffer.alloc(0), change: (h) => void h.write('2', 156) }]),
    ],
    [
      'a hard link',
      tarOf([{ ...first, name: 'l', content: Buffer.alloc(0), change: (h) => void h.write('1', 156) }]),
    ],
    ['a folder', tarOf([{ name: 'd/', content: Buffer.alloc(0), change: (h) => void h.write('5', 156) }])],
    [
      'a name in two fields',
      tarOf([{ name: 'd', content: Buffer.alloc(0), change: (h) => void h.write('..', 345) }]),
    ],
    [
      'a negative size',
      tarOf([{ name: 'd', content: Buffer.alloc(0), change: (h) => void h.fill(0xff, 124, 136) }]),
    ],
    ['a changed header', tarOf(entries).fill('z', 1, 2)],
    ['no end', tarOf(entries, Buffer.alloc(0))],
    ['half of its bytes', tarOf(entries).subarray(0, 1800)],
    ['something after its end', Buffer.concat([tarOf(entries), Buffer.from('more')])],
    ['endless zeros after its end', tarOf(entries, Buffer.alloc(100_000))],
  ])('with %s is refused', async (_, bytes) => {
    await expect(read(bytes)).rejects.toThrow(/^This is not a whole backup of svc: /);
  });
});
