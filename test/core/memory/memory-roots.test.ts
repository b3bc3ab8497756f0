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
    setRoots: async (_, value) => void config.set('memory.roots', value),
  });
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** The same, with every look at the file system told. */
const watched = () =>
  new MemoryRoots({
    config,
    protectedDirectories: [],
    setRoots: () => Promise.reject(new Error('nothing may be allowed here')),
    realFolder: async (path) => {
      looked.push(path);
      return path;
    },
  });

describe('the folders that may be indexed', () => {
  it('are those that an administrator synced', async () => {
    const work = join(home, 'work');
    await expect(roots.admit(user, work)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await roots.admit(admin, `${work}/`)).toBe(work);
    expect(config.get('memory.roots')).toEqual([work]);
    expect(await roots.admit(user, join(work, 'docs'))).toBe(join(work, 'docs'));
    expect(await roots.admit(admin, join(work, 'docs'))).toBe(join(work, 'docs'));
    expect(config.get('memory.roots')).toEqual([work]);
  });

  it('are all kept when several are allowed at once', async () => {
    const names = Array.from({ length: 20 }, (_, at) => join(home, 'other', `f${at}`));
    for (const name of names) mkdirSync(name);
    await Promise.all(names.map((name) => roots.admit(admin, name)));
    expect([...config.get('memory.roots')].sort()).toEqual([...names].sort());
  });

  it('are known by their real places', async () => {
    symlinkSync(join(home, 'work'), join(home, 'link'));
    expect(await roots.admit(admin, join(home, 'link'))).toBe(join(home, 'work'));
    expect(config.get('memory.roots')).toEqual([join(home, 'work')]);
  });

  it('cannot be left by a link', async () => {
    await roots.admit(admin, join(home, 'work'));
    symlinkSync(join(home, 'other'), join(home, 'work', 'out'));
    await expect(roots.admit(user, join(home, 'work', 'out'))).rejects.toMatchObject({ code: 'forbidden' });
  });

  it.each(['', 'work', '.', './work', '~/work', '/tmp/..', '/tmp/./x', '/tmp//x', '\0', '/a\0b', '/\ud800'])(
    'are spelled plainly, not as %j',
    async (path) => {
      await expect(watched().admit(admin, path)).rejects.toMatchObject({ code: 'validation' });
      expect(looked).toEqual([]);
    },
  );

  it('are neither the system, nor ours, nor where secrets are', async () => {
    for (const path of [
      '/',
      '/proc',
      '/proc/self',
      '/sys',
      '/dev',
      join(home, 'data'),
      join(home, 'keys/.ssh'),
    ])
      await expect(roots.admit(admin, path)).rejects.toMatchObject({ code: 'validation' });
    expect(config.get('memory.roots')).toEqual([]);
  });

  it('are folders', async () => {
    writeFileSync(join(home, 'file'), '');
    for (const path of [
      join(home, 'file'),
      join(home, 'gone'),
      join(home, 'file', 'x'),
      `/${'x'.repeat(300)}`,
    ])
      await expect(roots.admit(admin, path)).rejects.toMatchObject({
        code: 'validation',
        message: expect.stringContaining('There is no folder'),
      });
  });

  it('are not looked for by 10,000 other spellings', async () => {
    const work = join(home, 'work');
    config.set('memory.roots', [work]);
    const spellings = traversals(work, join(home, 'other'), 10_000);
    const ours = watched();
    let refused = 0;
    for (const spelling of spellings)
      await ours.admit(user, spelling).catch((error: unknown) => {
        expect(error).toBeInstanceOf(AppError);
        refused++;
      });
    // The others are odd names below the folder itself.
    expect(refused).toBeGreaterThan(9000);
    expect(looked.filter((place) => !isInside(work, place))).toEqual([]);
    expect(looked.filter((place) => normalize(place) !== place)).toEqual([]);
  });

  it('that lie in each other are synced once, and those that are gone not at all', async () => {
    const work = join(home, 'work');
    await expect(roots.all()).rejects.toMatchObject({ code: 'validation' });
    config.set('memory.roots', [join(work, 'docs'), `${work}/`, join(home, 'gone')]);
    expect(await roots.all()).toEqual({
      folders: [work],
      faults: [`There is no folder ${join(home, 'gone')} now`],
    });
    expect(roots.rules().roots).toContain(join(home, 'gone'));
    config.set('memory.roots', [join(home, 'gone')]);
    await expect(roots.all()).rejects.toThrow('There is no folder');
  });

  it('are left alone once they are links, or behind one', async () => {
    const work = join(home, 'work');
    const docs = join(work, 'docs');
    config.set('memory.roots', [docs, join(home, 'other')]);
    renameSync(work, join(home, 'was'));
    mkdirSync(join(home, 'private', 'docs'), { recursive: true });
    symlinkSync(join(home, 'private'), work);
    await expect(roots.admit(user, docs)).rejects.toMatchObject({ code: 'forbidden' });
    expect(await roots.all()).toEqual({
      folders: [join(home, 'other')],
      faults: [expect.stringContaining('leads by a link')],
    });
    expect(roots.rules().roots).toEqual([docs, join(home, 'other')]);
  });

  it('are none that may not be, whoever wrote that into the settings', async () => {
    const never = ['/', '/proc/sys', join(home, 'data'), join(home, 'keys/.ssh')];
    config.set('memory.roots', [...never, join(home, 'other')]);
    expect(roots.rules().roots).toEqual([join(home, 'other')]);
    expect((await roots.all()).folders).toEqual([join(home, 'other')]);
    for (const place of never)
      await expect(roots.admit(user, place)).rejects.toMatchObject({ code: 'forbidden' });
    config.set('memory.roots', never);
    await expect(roots.all()).rejects.toThrow('is a folder of the system');
  });
});
