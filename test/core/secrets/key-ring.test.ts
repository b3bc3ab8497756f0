import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import { startDaemon } from '../../helpers/daemon.ts';

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

  it.each([
    ['is missing', (file: string) => rmSync(file), 'is missing'],
    ['is another', (file: string) => writeFileSync(file, `${'0'.repeat(64)}\n`), 'is not the identity'],
    ['is broken', (file: string) => writeFileSync(file, 'nonsense'), 'does not hold an identity'],
    ['is empty', (file: string) => writeFileSync(file, ''), 'does not hold an identity'],
  ])('refuses to start when the seed %s, and names the restore command', async (_, spoil, message) => {
    await using daemon = await startDaemon();
    await daemon.stop();
    spoil(`${daemon.home}/identity`);
    await expect(startDaemon({ home: daemon.home })).rejects.toMatchObject({
      code: 'configuration',
      message: expect.stringMatching(new RegExp(`${message}.*svc devices identity --restore`)),
    });
  });
});
