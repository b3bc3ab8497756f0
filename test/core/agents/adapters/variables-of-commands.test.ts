import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../../helpers/daemon.ts';
import { storedTexts } from '../../../helpers/daemon-rows.ts';
import { follow } from '../../../helpers/tasks.ts';
import { addUser } from '../../../helpers/users.ts';

const secret = 'correct-horse-battery-staple';
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ env: { LANG: 'C', FROM_DAEMON: 'hidden' } });
});
afterAll(() => daemon[Symbol.asyncDispose]());

const create = (prompt: string, body: { env?: Record<string, string>; umask?: number } = {}, key?: string) =>
  daemon.client.tasks.create({
    body: { title: 'With an environment', assignedAgent: 'command', prompt, ...body },
    ...(key !== undefined && { headers: { 'idempotency-key': key } }),
  });
const run = async (prompt: string, body: { env?: Record<string, string>; umask?: number } = {}) =>
  follow(daemon.client, (await create(prompt, body)).task.id);

describe('the environment of a command', () => {
  it('has the variables of its task over those of the setting over those of the daemon', async () => {
    const setting = { params: { key: 'agents.command.env' } };
    await daemon.client.config.update({
      ...setting,
      body: { value: { LANG: 'de_DE', FROM_SETTING: 'yes' } },
    });
    const { task } = await run('echo $LANG $FROM_SETTING $MINE "$FROM_DAEMON"', {
      env: { LANG: 'fr_FR', MINE: 'two words' },
    });
    expect(task.result?.output).toBe('fr_FR yes two words \n');
    await daemon.client.config.update({ ...setting, body: { value: null } });
  });

  it('cannot replace what svc sets itself', async () => {
    for (const name of ['SVC_RUN', 'SVC_TASK_ID', 'A B', '1A', ''])
      await expect(create('true', { env: { [name]: 'x' } }), name).rejects.toMatchObject({ status: 400 });
  });

  it('is passed on by a retry', async () => {
    const { task } = await run('echo $WORD', { env: { WORD: 'again' }, umask: 0o77 });
    const again = await daemon.client.tasks.retry({ params: { id: task.id } });
    const done = await follow(daemon.client, again.task.id);
    expect(done.task).toMatchObject({ result: { output: 'again\n' }, envNames: ['WORD'], umask: 0o77 });
  });

  it('decides the permissions of the files', async () => {
    const { task } = await run('umask; touch f; stat -c %a f', { umask: 0o007 });
    expect(task.result?.output).toBe('0007\n660\n');
  });

  it('needs the right to run commands, whatever the agent', async () => {
    const { client } = await addUser(daemon, 'plain');
    const body = { title: 'Mine', assignedAgent: 'http', env: { PATH: '/tmp' } };
    await expect(client.tasks.create({ body })).rejects.toMatchObject({ status: 403 });
  });
});

describe('the values of variables', () => {
  it('are in no answer, event, export or file', async () => {
    const { task, events } = await run('test -n "$TOKEN"', { env: { TOKEN: secret } });
    expect(task).toMatchObject({ status: 'completed', envNames: ['TOKEN'] });
    await create('true', { env: { TOKEN: secret } }, 'a key');
    const seen = [task, events, await daemon.client.tasks.export(), await daemon.client.tasks.list()];
    expect(JSON.stringify(seen)).not.toContain(secret);
    const stored = (await storedTexts(daemon)).join('');
    expect(stored).toContain(task.id);
    expect(stored).not.toContain(secret);
  });

  it('of the setting are masked, and a mask keeps what was there', async () => {
    const setting = { params: { key: 'agents.command.env' } };
    await daemon.client.config.update({ ...setting, body: { value: { TOKEN: secret } } });
    const shown = (await daemon.client.config.list()).settings.find(
      ({ key }) => key === 'agents.command.env',
    );
    expect(JSON.stringify(shown)).not.toContain(secret);
    const value = { ...(shown?.value as Record<string, string>), OTHER: '1' };
    await daemon.client.config.update({ ...setting, body: { value } });
    expect((await storedTexts(daemon)).join('')).not.toContain(secret);
    const { task } = await run(`test "$TOKEN" = ${secret} && echo "$OTHER"`);
    expect(task.result?.output).toBe('1\n');
    await daemon.client.config.update({ ...setting, body: { value: null } });
  });
});

describe('an idempotency key', () => {
  it('takes the same command from another shell for the same request, with other values for another', async () => {
    const first = await create('true', { env: { PATH: '/bin', X: '1' }, umask: 0o22 }, 'from two shells');
    const again = await create('true', { env: { PATH: '/usr/bin', X: '1' }, umask: 0o2 }, 'from two shells');
    expect(again.task.id).toBe(first.task.id);
    await expect(create('true', { env: { PATH: '/bin', X: '2' } }, 'from two shells')).rejects.toMatchObject({
      status: 409,
    });
  });
});
