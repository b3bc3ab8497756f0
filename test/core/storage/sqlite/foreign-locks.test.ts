import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lockDataDirectory } from '../../../../src/core/storage/data-lock.ts';
import { startDaemon } from '../../../helpers/daemon.ts';

/** Another process that runs these statements on the database and then stays. */
async function inOtherProcess(file: string, statements: string): Promise<{ end(): Promise<void> }> {
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(process.argv[1]);
    database.exec(process.argv[2]);
    process.stdout.write('ready');
    process.stdin.resume().on('end', () => process.exit(0));`;
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '-e', script, file, statements],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  await once(child.stdout, 'data');
  return {
    end: async () => {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}

describe('a lock of another process', () => {
  it('never blocks the event loop while a write waits for it', async () => {
    await using daemon = await startDaemon();
    const file = join(daemon.home, 'svc.db');
    const other = await inOtherProcess(file, 'begin immediate');
    try {
      let isRefused = false;
      const posts = Promise.allSettled(
        Array.from({ length: 5 }, (_, n) => daemon.client.tasks.create({ body: { title: `${n}` } })),
      ).then((results) => {
        isRefused = true;
        return results;
      });
      // Each turn is a round trip to the event loop; with a blocked loop there would be none until the refusal.
      let turns = 0;
      while (!isRefused) {
        await fetch(`${daemon.url}/api/health/live`);
        turns++;
      }
      expect(turns).toBeGreaterThan(10);
      for (const result of await posts)
        expect(result).toMatchObject({ status: 'rejected', reason: { status: 503 } });
    } finally {
      await other.end();
    }
    await daemon.client.tasks.create({ body: { title: 'After' } });
  });

  it('delays a write that gets the lock in time', async () => {
    await using daemon = await startDaemon();
    const other = await inOtherProcess(join(daemon.home, 'svc.db'), 'begin immediate');
    const post = daemon.client.tasks.create({ body: { title: 'Patient' } });
    await other.end();
    expect((await post).task.title).toBe('Patient');
  });
});

describe('the lock of a data directory', () => {
  it('keeps a second daemon out although the lock file has vanished', async () => {
    await using daemon = await startDaemon();
    const lock = join(daemon.home, 'daemon.lock');
    rmSync(lock);
    // Two connections of one process share their locks, so the second daemon is another process.
    const script = `
      import { lockDataDirectory } from ${JSON.stringify(new URL('../../../../src/core/storage/data-lock.ts', import.meta.url).href)};
      lockDataDirectory(process.argv[1], process.argv[2]).then(() => console.log('taken'), (error) => console.log(error.message));`;
    const child = spawn(process.execPath, [
      '--disable-warning=ExperimentalWarning',
      '--input-type=module',
      '-e',
      script,
      lock,
      join(daemon.home, 'svc.db'),
    ]);
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await once(child, 'close');
    expect(said).toMatch(/^Another daemon uses this data folder/);
    await daemon.client.tasks.create({ body: { title: 'Still writes' } });
  });

  it('is free again when the process that held it is gone', async () => {
    const first = await startDaemon();
    await first.stop();
    rmSync(join(first.home, 'daemon.lock'));
    const lock = await lockDataDirectory(join(first.home, 'daemon.lock'), join(first.home, 'svc.db'));
    lock.release();
    await first[Symbol.asyncDispose]();
  });
});
