import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startDaemon } from '../../../helpers/daemon.ts';
import { follow, testAdapter } from '../../../helpers/tasks.ts';
import { watchWriter } from './test-database.ts';

const noop = testAdapter(async () => ({ output: 'done' }));
const unusable = {
  status: 503,
  message: 'The database cannot be used right now. Try again.',
};

/** Another program that holds the write lock of the database until it is ended. */
async function lockFromOutside(file: string): Promise<{ release(): Promise<void> }> {
  const script = `
    const { DatabaseSync } = require('node:sqlite');
    const database = new DatabaseSync(process.argv[1]);
    database.exec('begin immediate');
    process.stdout.write('locked');
    process.stdin.resume().on('end', () => process.exit(0));`;
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '-e', script, file], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return {
    release: async () => {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}

describe('a database that another program has locked', () => {
  it('writes to a locked database get 503 while reads succeed, and writes recover afterwards', async () => {
    await using daemon = await startDaemon({ extraAdapters: [noop] });
    const { client } = daemon;
    const body = { title: 'A task', assignedAgent: 'test' };
    const { task: first } = await client.tasks.create({ body });
    await follow(client, first.id);
    const lock = await lockFromOutside(join(daemon.home, 'svc.db'));
    try {
      await expect(client.tasks.create({ body })).rejects.toMatchObject(unusable);
      expect((await client.tasks.get({ params: { id: first.id } })).task.status).toBe('completed');
    } finally {
      await lock.release();
    }
    const { task } = await client.tasks.create({ body });
    expect((await follow(client, task.id)).task.status).toBe('completed');
    expect((await client.tasks.list()).total).toBe(2);
  });

  it('stores the outcome of a run that finished in the meantime', async () => {
    let finish: (() => void) | undefined;
    const adapter = testAdapter(() => new Promise((resolve) => (finish = () => resolve({ output: 'late' }))));
    await using daemon = await startDaemon({ extraAdapters: [adapter] });
    const { task } = await daemon.client.tasks.create({ body: { title: 'A task', assignedAgent: 'test' } });
    await expect.poll(() => finish).toBeDefined();
    const lock = await lockFromOutside(join(daemon.home, 'svc.db'));
    try {
      finish?.();
      await expect(daemon.client.tasks.create({ body: { title: 'Other' } })).rejects.toMatchObject(unusable);
    } finally {
      await lock.release();
    }
    const { task: ended } = await follow(daemon.client, task.id);
    expect(ended).toMatchObject({ status: 'completed', attempts: 1, result: { output: 'late' } });
  });
});

describe('a database that cannot be written', () => {
  it('writes to an unwritable database get 503 while reads succeed, and writes recover afterwards', async () => {
    const { opened, writer } = await watchWriter(() => startDaemon({ extraAdapters: [noop] }));
    await using daemon = opened;
    const { client } = daemon;
    const body = { title: 'A task', assignedAgent: 'test' };
    const { task: first } = await client.tasks.create({ body });
    await follow(client, first.id);
    writer.exec('pragma query_only = on');
    await expect(client.tasks.create({ body })).rejects.toMatchObject(unusable);
    expect((await client.tasks.list()).total).toBe(1);
    writer.exec('pragma query_only = off');
    const { task } = await client.tasks.create({ body });
    expect((await follow(client, task.id)).task.status).toBe('completed');
  });
});
