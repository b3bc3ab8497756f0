import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutputName } from '../../../../src/contract/task-output.ts';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { follow } from '../../../helpers/tasks.ts';
import { addUser } from '../../../helpers/users.ts';
import { runCommand, startCommand, waitForOutput } from '../run-command.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon();
});
afterAll(() => daemon[Symbol.asyncDispose]());

async function bytesOf(
  id: string,
  stream: OutputName = 'stdout',
  query: { offset?: number; follow?: boolean } = {},
): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of daemon.client.tasks.getOutput({ params: { id }, query: { stream, ...query } }))
    pieces.push(piece);
  return Buffer.concat(pieces);
}

describe('the output of a command', () => {
  it('is kept whole, byte for byte, stdout and stderr apart', async () => {
    const all = `printf "$(printf '\\\\%o' $(seq 1 255))"`;
    const { task } = await runCommand(daemon, `${all}; ${all} | head -c 9 >&2`);
    const bytes = Buffer.from(Uint8Array.from({ length: 255 }, (_, at) => at + 1));
    expect(await bytesOf(task.id)).toEqual(bytes);
    expect(await bytesOf(task.id, 'stderr')).toEqual(bytes.subarray(0, 9));
    expect(await bytesOf(task.id, 'stdout', { offset: 250 })).toEqual(bytes.subarray(250));
    expect(await bytesOf(task.id, 'stdout', { offset: 999 })).toHaveLength(0);
  });

  it('is whole where the result has only its head and tail', async () => {
    const { task } = await runCommand(daemon, 'seq 300000');
    const lines = Array.from({ length: 300_000 }, (_, at) => `${at + 1}\n`).join('');
    expect(task.result?.output).toContain('bytes left out');
    expect((await bytesOf(task.id)).toString()).toBe(lines);
  });

  it('can be followed while the command runs', async () => {
    const id = await startCommand(daemon, 'echo first; until [ -e go ]; do sleep 0.02; done; echo second');
    await waitForOutput(daemon, id, 'first');
    const pieces: string[] = [];
    const followed = daemon.client.tasks.getOutput({ params: { id }, query: { follow: true } });
    for await (const piece of followed) {
      pieces.push(Buffer.from(piece).toString());
      writeFileSync(join(daemon.home, 'workspaces', id, 'go'), '');
    }
    expect(pieces).toEqual(['first\n', 'second\n']);
  });

  it('of another user is not found', async () => {
    const { task } = await runCommand(daemon, 'echo mine');
    const other = await addUser(daemon, 'other');
    const answer = await fetch(`${daemon.url}/api/tasks/${task.id}/output`, { headers: other.headers });
    expect(answer.status).toBe(404);
  });

  it('goes to browsers as a download', async () => {
    const { task } = await runCommand(daemon, 'echo "<script>alert(1)</script>"');
    const answer = await fetch(`${daemon.url}/api/tasks/${task.id}/output`, { headers: daemon.headers });
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment',
      'x-content-type-options': 'nosniff',
    });
  });

  it('is private on the disk and goes with its task', async () => {
    const { task } = await runCommand(daemon, 'echo kept');
    const file = join(daemon.home, 'outputs', task.id, 'stdout');
    expect(readFileSync(file, 'utf8')).toBe('kept\n');
    await daemon.client.tasks.delete({ params: { id: task.id } });
    expect(existsSync(file)).toBe(false);
  });

  it('is that of the latest attempt', async () => {
    const { task } = await daemon.client.tasks.create({
      body: {
        title: 'Twice',
        assignedAgent: 'command',
        prompt: 'if [ -e seen ]; then echo two; else touch seen; echo one is longer; exit 1; fi',
        maxAttempts: 2,
      },
    });
    const done = await follow(daemon.client, task.id);
    expect(done.task).toMatchObject({ status: 'completed', attempts: 2 });
    expect((await bytesOf(task.id)).toString()).toBe('two\n');
  });

  it('of a task without a command is its answer', async () => {
    const { task } = await daemon.client.tasks.create({ body: { title: 'Later', assignedAgent: 'http' } });
    expect(await bytesOf(task.id)).toHaveLength(0);
  });
});

describe('the limit of the output', () => {
  it('stops the command, says so and keeps what fits', async () => {
    await daemon.client.config.update({ params: { key: 'agents.output.maxBytes' }, body: { value: 5000 } });
    const { task } = await runCommand(daemon, 'yes; echo never', {});
    expect(task).toMatchObject({
      status: 'failed',
      error: { class: 'command_failed', code: 'output_too_large' },
    });
    expect(task.error?.message).toContain('more than 5000 bytes, the limit of agents.output.maxBytes');
    expect(await bytesOf(task.id)).toEqual(Buffer.from('y\n'.repeat(2500)));
    expect(task.result?.output).toContain('y\ny\n');
    await daemon.client.config.update({ params: { key: 'agents.output.maxBytes' }, body: { value: null } });
  });

  it('counts stdout and stderr together', async () => {
    await daemon.client.config.update({ params: { key: 'agents.output.maxBytes' }, body: { value: 3000 } });
    const { task } = await runCommand(daemon, 'head -c 2000 /dev/zero; head -c 2000 /dev/zero >&2');
    expect(task.error?.code).toBe('output_too_large');
    const sizes = await Promise.all([bytesOf(task.id), bytesOf(task.id, 'stderr')]);
    expect(sizes.map(({ length }) => length).reduce((sum, size) => sum + size)).toBe(3000);
    await daemon.client.config.update({ params: { key: 'agents.output.maxBytes' }, body: { value: null } });
  });
});
