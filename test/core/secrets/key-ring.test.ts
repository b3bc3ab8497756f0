import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { requirePrivateSeed } from '../../../src/core/secrets/master-seed.ts';
import { startDaemon, temporaryFolder } from '../../helpers/daemon.ts';
import { isPro } from '../../helpers/pro.ts';
import { openStorage } from '../../helpers/storage.ts';

describe('the keys of a daemon', () => {
  it('derives stable, distinct keys from one seed', () => {
    const seed = Buffer.alloc(32, 7);
    const purposes = ['attest', 'atRest', 'cursors', 'notify', 'codes'] as const;
    const keys = purposes.map((purpose) => new KeyRing(seed).key(purpose).toString('hex'));
    expect(new Set(keys).size).toBe(purposes.length);
    expect(purposes.map((purpose) => new KeyRing(seed).key(purpose).toString('hex'))).toEqual(keys);
    // A change here would make every stored secret unreadable.
    expect(keys[0]).toBe('33433933bfaca7ae4e90882a4bf2845296de252a3d43aba1d3a163762382b9b0');
  });

  it('keeps the seed across restarts in a private file', async () => {
    await using daemon = await startDaemon();
    const file = `${daemon.home}/identity`;
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file, 'utf8');
    expect(before).toMatch(/^[0-9a-f]{64}\n$/);
    await daemon.stop();
    await using again = await startDaemon({ home: daemon.home });
    expect(readFileSync(file, 'utf8')).toBe(before);
    await again.stop();
  });

  const spoiled: [string, (file: string) => void, string][] = [
    ['is missing', (file) => rmSync(file), 'is missing'],
    ['is another', (file) => writeFileSync(file, `${'0'.repeat(64)}\n`), 'is not the identity'],
    ['is broken', (file) => writeFileSync(file, 'nonsense'), 'does not hold an identity'],
    ['is empty', (file) => writeFileSync(file, ''), 'does not hold an identity'],
  ];
  // Mode pro refuses a missing one before it opens the database: require-pro-settings.test.ts.
  it.each(isPro ? spoiled.slice(1) : spoiled)(
    'refuses to start when the seed %s, and names the restore command',
    async (_, spoil, message) => {
      await using daemon = await startDaemon();
      await daemon.stop();
      spoil(`${daemon.home}/identity`);
      await expect(startDaemon({ home: daemon.home })).rejects.toMatchObject({
        code: 'configuration',
        message: expect.stringMatching(new RegExp(`${message}.*svc devices identity --restore`)),
      });
    },
  );
});

describe('the keys of a cluster', () => {
  const seedFile = (content: string | Buffer, mode = 0o600) => {
    const file = join(temporaryFolder(), 'seed');
    writeFileSync(file, content, { mode });
    chmodSync(file, mode);
    return file;
  };
  const seed = Buffer.alloc(32, 7);
  const shared = { mayCreate: false };

  it.each([
    ['raw', seed],
    ['in hex', `${seed.toString('hex')}\n`],
    ['in capital hex', seed.toString('hex').toUpperCase()],
    ['in base64', `${seed.toString('base64')}\n`],
    ['in base64url', seed.toString('base64url')],
  ])('come from a seed %s', async (_, content) => {
    await using storage = await openStorage();
    const keys = await KeyRing.load(storage.database, seedFile(content), shared);
    expect(keys.check()).toBe(new KeyRing(seed).check());
  });

  it('are never made by a daemon', async () => {
    await using storage = await openStorage();
    const file = join(temporaryFolder(), 'seed');
    await expect(KeyRing.load(storage.database, file, shared)).rejects.toThrow(`${file} is missing`);
    expect(existsSync(file)).toBe(false);
  });

  it('of two first starts with different seeds exactly one goes on', async () => {
    await using storage = await openStorage();
    const files = [seedFile(Buffer.alloc(32, 1)), seedFile(Buffer.alloc(32, 2))];
    const starts = await Promise.allSettled(
      files.map((file) => KeyRing.load(storage.database, file, shared)),
    );
    expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const [refused] = starts.filter((start) => start.status === 'rejected');
    expect(refused?.reason).toMatchObject({
      message: expect.stringMatching(/is not the identity.*Name the seed of the other daemons/),
    });
  });

  it.each([
    [0o600, undefined],
    [0o400, undefined],
    // As containers mount their secrets.
    [0o444, undefined],
    [0o644, 'other users can read it (mode 0644)'],
    [0o640, 'other users can read it (mode 0640)'],
    [0o660, 'other users can write it (mode 0660)'],
    [0o622, 'other users can write it (mode 0622)'],
  ])('a seed of mode %o is refused unless it is private', (mode, message) => {
    const file = seedFile(seed, mode);
    const require = () => requirePrivateSeed(file);
    if (message === undefined) expect(require).not.toThrow();
    else expect(require).toThrow(`${message}. Run: chmod 600 ${file}`);
  });
});
