import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, normalize } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { Config } from '../../../src/core/config/config.ts';
import { AppError } from '../../../src/core/errors.ts';
import { MemoryRoots } from '../../../src/core/memory/memory-roots.ts';
import { isInside } from '../../../src/core/paths/real-path.ts';
import { traversals } from '../../helpers/traversals.ts';

const admin: Caller = { userId: 'usr_1', role: 'admin' };
const user: Caller = { userId: 'usr_2', role: 'user' };

let home: string;
let config: Config;
let looked: string[];
let roots: MemoryRoots;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'svc-roots-')));
  for (const folder of ['work/docs', 'other', 'data', 'keys/.ssh'])
    mkdirSync(join(home, folder), { recursive: true });
  config = new Config({ env: {}, settingsFile: join(home, 'settings.json') });
  looked = [];
  roots = new MemoryRoots({
    config,
    protectedDirectories: [join(home, 'data')],
    setRoots: async (_, value) => void (await config.set('memory.roots', value)),
  });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The same, recording every access to the file system. */
const watched = () =>
  new MemoryRoots({
    config,
    protectedDirectories: [],
    setRoots: () => Promise.reject(new Error('nothing may be allowed here')),
    realDirectory: async (path) => {
      looked.push(path);
      return path;
    },
  });

describe('memory roots', () => {
  it('a sync by an administrator adds its folder to the memory roots', async () => {
    const work = join(home, 'work');
    await expect(roots.authorize(user, work)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await roots.authorize(admin, `${work}/`)).toBe(work);
    expect(config.get('memory.roots')).toEqual([work]);
    expect(await roots.authorize(user, join(work, 'docs'))).toBe(join(work, 'docs'));
    expect(await roots.authorize(admin, join(work, 'docs'))).toBe(join(work, 'docs'));
    expect(config.get('memory.roots')).toEqual([work]);
  });

  it('keeps all memory roots that are added concurrently', async () => {
    const names = Array.from({ length: 20 }, (_, at) => join(home, 'other', `f${at}`));
    for (const name of names) mkdirSync(name);
    await Promise.all(names.map((name) => roots.authorize(admin, name)));
    expect([...config.get('memory.roots')].sort()).toEqual([...names].sort());
  });

  it('stores memory roots by their real paths', async () => {
    symlinkSync(join(home, 'work'), join(home, 'link'));
    expect(await roots.authorize(admin, join(home, 'link'))).toBe(join(home, 'work'));
    expect(config.get('memory.roots')).toEqual([join(home, 'work')]);
  });

  it('rejects a symlink that leads out of a memory root', async () => {
    await roots.authorize(admin, join(home, 'work'));
    symlinkSync(join(home, 'other'), join(home, 'work', 'out'));
    await expect(roots.authorize(user, join(home, 'work', 'out'))).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it.each(['', 'work', '.', './work', '~/work', '/tmp/..', '/tmp/./x', '/tmp//x', '\0', '/a\0b', '/\ud800'])(
    'rejects the memory root %j',
    async (path) => {
      await expect(watched().authorize(admin, path)).rejects.toMatchObject({ code: 'validation' });
      expect(looked).toEqual([]);
    },
  );

  it('rejects system folders, protected folders and folders with secrets', async () => {
    for (const path of [
      '/',
      '/proc',
      '/proc/self',
      '/sys',
      '/dev',
      join(home, 'data'),
      join(home, 'keys/.ssh'),
    ])
      await expect(roots.authorize(admin, path)).rejects.toMatchObject({ code: 'validation' });
    expect(config.get('memory.roots')).toEqual([]);
  });

  it('rejects a memory root that is not a folder', async () => {
    writeFileSync(join(home, 'file'), '');
    for (const path of [
      join(home, 'file'),
      join(home, 'gone'),
      join(home, 'file', 'x'),
      `/${'x'.repeat(300)}`,
    ])
      await expect(roots.authorize(admin, path)).rejects.toMatchObject({
        code: 'validation',
        message: expect.stringContaining('There is no folder'),
      });
  });

  it('touches no file system for 10,000 paths of a caller without permission', async () => {
    const work = join(home, 'work');
    await config.set('memory.roots', [work]);
    const spellings = traversals(work, join(home, 'other'), 10_000);
    const ours = watched();
    let refused = 0;
    for (const spelling of spellings)
      await ours.authorize(user, spelling).catch((error: unknown) => {
        expect(error).toBeInstanceOf(AppError);
        refused++;
      });
    // The others are odd names below the folder itself.
    expect(refused).toBeGreaterThan(9000);
    expect(looked.filter((place) => !isInside(work, place))).toEqual([]);
    expect(looked.filter((place) => normalize(place) !== place)).toEqual([]);
  });

  it('syncs nested roots once and skips missing ones', async () => {
    const work = join(home, 'work');
    await expect(roots.resolveAll()).rejects.toMatchObject({ code: 'validation' });
    await config.set('memory.roots', [join(work, 'docs'), `${work}/`, join(home, 'gone')]);
    expect(await roots.resolveAll()).toEqual({
      directories: [work],
      errors: [`There is no folder ${join(home, 'gone')} now`],
    });
    expect(roots.rules().roots).toContain(join(home, 'gone'));
    await config.set('memory.roots', [join(home, 'gone')]);
    await expect(roots.resolveAll()).rejects.toThrow('There is no folder');
  });

  it('skips roots that became symlinks or lie behind one', async () => {
    const work = join(home, 'work');
    const docs = join(work, 'docs');
    await config.set('memory.roots', [docs, join(home, 'other')]);
    renameSync(work, join(home, 'was'));
    mkdirSync(join(home, 'private', 'docs'), { recursive: true });
    symlinkSync(join(home, 'private'), work);
    await expect(roots.authorize(user, docs)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await roots.resolveAll()).toEqual({
      directories: [join(home, 'other')],
      errors: [expect.stringContaining('leads through a symlink')],
    });
    expect(roots.rules().roots).toEqual([docs, join(home, 'other')]);
  });

  it('ignores forbidden roots in the settings', async () => {
    const never = ['/', '/proc/sys', join(home, 'data'), join(home, 'keys/.ssh')];
    await config.set('memory.roots', [...never, join(home, 'other')]);
    expect(roots.rules().roots).toEqual([join(home, 'other')]);
    expect((await roots.resolveAll()).directories).toEqual([join(home, 'other')]);
    for (const place of never)
      await expect(roots.authorize(user, place)).rejects.toMatchObject({ code: 'forbidden' });
    await config.set('memory.roots', never);
    await expect(roots.resolveAll()).rejects.toThrow('is a system folder');
  });
});
