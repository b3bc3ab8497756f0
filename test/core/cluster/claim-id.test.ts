import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { claimId, type ClaimIdDeps } from '../../../src/core/cluster/claim-id.ts';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { hasPostgres } from '../../helpers/postgres-server.ts';
import { openStorage } from '../../helpers/storage.ts';

const id = 'daemon_1';
const now = new Date('2026-11-28T12:00:00.000Z');
const at = (seconds: number) => new Date(now.getTime() + seconds * 1000).toISOString();

describe.skipIf(!hasPostgres)('the ID of a daemon (needs PostgreSQL)', () => {
  let storage: Awaited<ReturnType<typeof openStorage>>;
  beforeAll(async () => void (storage = await openStorage(true)));
  afterAll(() => storage[Symbol.asyncDispose]());
  beforeEach(async () => {
    await storage.database.write(({ db }) => db.deleteFrom('daemons').execute());
  });

  let waits = 0;
  beforeEach(() => void (waits = 0));
  const claim = (directory: string, startedAt: string, more: Partial<ClaimIdDeps> = {}) =>
    claimId({
      database: storage.database,
      directory,
      id,
      startedAt,
      runtime: { now: () => now },
      wait: async () => void waits++,
      ...more,
    });
  /** Writes the row, as a daemon does when it joins and later. */
  const say = (startedAt: string, seenAt: string) => {
    const row = {
      id,
      name: 'web-1',
      host: 'box',
      version: '1.0.0',
      role: 'all',
      labels: '[]',
      agents: '[]',
      slots: 1,
    };
    return storage.database.write(({ db }) =>
      db
        .insertInto('daemons')
        .values({ ...row, pools: null, drain: null, started_at: startedAt, seen_at: seenAt })
        .onConflict((conflict) =>
          conflict.column('id').doUpdateSet({ started_at: startedAt, seen_at: seenAt }),
        )
        .execute(),
    );
  };

  it('is claimed again at once after a crash, also before the row of the new process is there', async () => {
    const directory = temporaryFolder();
    await claim(directory, at(-60));
    await say(at(-60), at(-1));
    await claim(directory, at(0));
    await claim(directory, at(1));
    await say(at(1), at(1));
    await claim(directory, at(2));
    expect(waits).toBe(0);
  });

  it('is refused to a copy of the directory while its daemon runs, which keeps its own', async () => {
    const directory = temporaryFolder();
    await claim(directory, at(-60));
    await say(at(-60), at(-1));
    const copy = temporaryFolder();
    cpSync(directory, copy, { recursive: true });
    await expect(claim(copy, at(0), { wait: () => say(at(-60), at(4)) })).rejects.toMatchObject({
      code: 'configuration',
      message: `The daemon web-1 on the host box runs with the same ID, so ${copy} is a copy of its data directory. To give this daemon an ID of its own: rm ${join(copy, 'daemon-id')}`,
    });
    await claim(directory, at(1));
  });

  it('is given to a copy where the daemon says nothing more, as after a move', async () => {
    const directory = temporaryFolder();
    await claim(directory, at(-60));
    await say(at(-60), at(-1));
    const copy = temporaryFolder();
    cpSync(directory, copy, { recursive: true });
    await claim(copy, at(0));
    expect(waits).toBeGreaterThan(0);
    waits = 0;
    await say(at(-60), at(-31));
    await claim(temporaryFolder(), at(0));
    expect(waits).toBe(0);
  });
});
