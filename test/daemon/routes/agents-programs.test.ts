import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acpProgram, withAgents } from '../../helpers/agents/acp-settings.ts';
import { player, transcriptPath } from '../../helpers/agents/transcripts.ts';
import { allOf } from '../../helpers/all-of.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { startDaemon, type TestDaemon, temporaryFolder } from '../../helpers/daemon.ts';
import { follow, until } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

const run = async ({ client }: TestDaemon, body: Parameters<typeof client.tasks.create>[0]['body']) => {
  const { task } = await client.tasks.create({ body });
  return (await follow(client, task.id)).task;
};

describe('coding agents in GET /api/agents', () => {
  it('says what is missing and what to do', async () => {
    await using daemon = await startDaemon({
      env: { PATH: '/nowhere' },
      flags: withAgents({ demo: acpProgram(), ghost: { program: '/nope/ghost' } }),
    });
    const { agents } = await daemon.client.agents.list();
    const of = (type: string) => agents.find((agent) => agent.type === type);
    expect(of('demo')).toMatchObject({ state: 'ready', version: '1.2.3', programSetting: 'agents.added' });
    expect(of('claude')).toMatchObject({
      state: 'not_installed',
      hint: 'Install it: npm install -g @anthropic-ai/claude-code',
      configured: false,
    });
    expect(of('ghost')).toMatchObject({
      state: 'not_installed',
      message: expect.stringContaining('/nope/ghost, the program of the agent "ghost", was not found'),
    });
    expect(of('http')).toMatchObject({ state: 'not_configured' });
    expect(of('command')).toMatchObject({ state: 'ready' });
  });

  it('knows an agent as soon as it was added, and forgets it once it is removed', async () => {
    await using daemon = await startDaemon();
    const { client } = daemon;
    const key = 'agents.added';
    const env = { DEMO_KEY: 'secret-value' };
    await client.config.update({ params: { key }, body: { value: { demo: { ...acpProgram(), env } } } });
    const { agent } = await client.agents.get({ params: { type: 'demo' } });
    expect(agent).toMatchObject({ state: 'ready', envNames: ['DEMO_KEY'], settings: [key] });
    expect(JSON.stringify(agent)).not.toContain('secret-value');
    // Who reads the setting sends a mask back in place of the secret.
    const { settings } = await client.config.list();
    const value = settings.find((setting) => setting.key === key)?.value as Record<string, object>;
    expect(JSON.stringify(value)).not.toContain('secret-value');
    const other = { ...value, other: { program: 'other' } };
    await client.config.update({ params: { key }, body: { value: other } });
    expect((await client.agents.listTypes()).types).toEqual(expect.arrayContaining(['demo', 'other']));
    await client.config.update({ params: { key }, body: { value: null } });
    await expect(client.agents.get({ params: { type: 'demo' } })).rejects.toMatchObject({ status: 404 });
  });

  it.each(['claude', 'builtin', 'sessions', 'types'])('refuses to add one named %s', async (name) => {
    await using daemon = await startDaemon();
    const update = daemon.client.config.update({
      params: { key: 'agents.added' },
      body: { value: { [name]: { program: 'x' } } },
    });
    await expect(update).rejects.toMatchObject({ status: 400 });
  });

  it('shows arguments and names of variables only to administrators', async () => {
    await using daemon = await startDaemon({
      flags: withAgents({ demo: { ...acpProgram(), env: { A: 'b' } } }),
    });
    const ann = await addUser(daemon, 'ann');
    const { agent } = await ann.client.agents.get({ params: { type: 'demo' } });
    expect(agent).toMatchObject({ type: 'demo', version: '1.2.3' });
    expect(agent).not.toHaveProperty('args');
    expect(agent).not.toHaveProperty('envNames');
  });
});

describe('POST /api/agents/:type/test', () => {
  it('tests a coding agent, as one answer or step by step', async () => {
    await using daemon = await startDaemon({ flags: withAgents({ demo: acpProgram() }) });
    const input = { params: { type: 'demo' } };
    const answer = await daemon.client.agents.test(input);
    expect(answer).toMatchObject({ agent: 'demo', ok: true });
    const streamed = await allOf(daemon.client.agents.testStream(input));
    expect(streamed.map(({ name }) => name)).toEqual(answer.steps.map(({ name }) => name));
  });

  it('checks the health of an agent that is no program', async () => {
    await using daemon = await startDaemon();
    expect(await daemon.client.agents.test({ params: { type: 'command' } })).toMatchObject({
      ok: true,
      steps: [{ name: 'health', status: 'ok' }],
    });
    const test = daemon.client.agents.test({ params: { type: 'nope' } });
    await expect(test).rejects.toMatchObject({ status: 404 });
  });

  it('starts the tasks that wait for a login once it works', async () => {
    const login = join(temporaryFolder(), 'login');
    const locked = { ...acpProgram('--no-login'), env: { ACP_LOGIN: login } };
    await using daemon = await startDaemon({ flags: withAgents({ locked }) });
    const { client } = daemon;
    const first = await client.tasks.create({ body: { title: 'Hello', assignedAgent: 'locked' } });
    const stateOf = async () => (await client.agents.get({ params: { type: 'locked' } })).agent.state;
    await until(async () => expect(await stateOf()).toBe('needs_login'));
    const second = await client.tasks.create({ body: { title: 'Hello', assignedAgent: 'locked' } });
    expect(second.warnings).toEqual([
      'The task waits: locked needs a login: log in with its own program. It starts by itself after that.',
    ]);
    writeFileSync(login, '');
    expect(await client.agents.test({ params: { type: 'locked' } })).toMatchObject({ ok: true });
    for (const { task } of [first, second])
      expect((await follow(client, task.id)).task).toMatchObject({ status: 'completed' });
    expect(await stateOf()).toBe('ready');
  });
});

describe('a task of a coding agent', () => {
  it('takes any model, and no provider', async () => {
    await using daemon = await startDaemon({ flags: withAgents({ demo: acpProgram() }) });
    const body = { title: 'Hello', assignedAgent: 'demo', attached: true };
    const { task, warnings } = await daemon.client.tasks.create({
      body: { ...body, model: 'no-such-model' },
    });
    expect(warnings).toBeUndefined();
    expect((await follow(daemon.client, task.id)).task.status).toBe('completed');
    await expect(daemon.client.tasks.create({ body: { ...body, provider: 'openai' } })).rejects.toMatchObject(
      { status: 400, message: expect.stringContaining('provider of its own') },
    );
    const schedule = { cron: '0 0 1 1 *', task: { ...body, attached: undefined, model: 'no-such-model' } };
    expect(await daemon.client.schedules.create({ body: schedule })).not.toHaveProperty('warnings');
  });

  it('is refused with the command that installs the agent if someone waits for it', async () => {
    await using daemon = await startDaemon({ env: { PATH: '/nowhere' } });
    const body = { title: 'Hello', assignedAgent: 'codex' };
    await expect(daemon.client.tasks.create({ body: { ...body, attached: true } })).rejects.toMatchObject({
      details: [{ path: 'assignedAgent', message: expect.stringContaining('npm install -g @openai/codex') }],
    });
    expect(await daemon.client.tasks.create({ body })).toMatchObject({ task: { status: 'pending' } });
  });

  it('leaves a session that its owner sees and can continue', async () => {
    await using daemon = await startDaemon({ flags: withAgents({ demo: acpProgram() }) });
    const { client } = daemon;
    const ann = await addUser(daemon, 'ann');
    const cwd = temporaryFolder();
    const first = await run(daemon, { title: 'First', assignedAgent: 'demo', cwd });
    const { session } = await client.tasks.get({ params: { id: first.id } });
    expect(session).toEqual({ agent: 'demo', id: expect.stringContaining('ses-'), version: '1.2.3' });
    const { sessions, total } = await client.agents.listSessions();
    expect(total).toBe(1);
    expect(sessions).toEqual([
      expect.objectContaining({ agent: 'demo', id: session?.id, taskId: first.id, title: 'First' }),
    ]);
    expect(await ann.client.agents.listSessions()).toMatchObject({ sessions: [], total: 0 });
    expect(await client.agents.listSessions({ query: { agent: 'claude' } })).toMatchObject({ sessions: [] });

    const second = await run(daemon, { title: 'Second', continues: first.id });
    expect(second).toMatchObject({ status: 'completed', agentType: 'demo', cwd });
    // The same session, now with the task that worked in it last.
    const after = (await client.agents.listSessions()).sessions;
    expect(after.map(({ id, taskId }) => [id, taskId])).toEqual([[session?.id, second.id]]);
  });

  it('can be continued in a directory of its own in which it left nothing', async () => {
    await using daemon = await startDaemon({ flags: withAgents({ demo: acpProgram() }) });
    const first = await run(daemon, { title: 'First', assignedAgent: 'demo' });
    const second = await run(daemon, { title: 'Second', continues: first.id });
    expect(second).toMatchObject({ status: 'completed', agentType: 'demo', continues: first.id });
    const third = await run(daemon, { title: 'Third', continues: second.id });
    expect(third).toMatchObject({ status: 'completed', cwd: second.cwd });
  });

  it('is refused if it continues what has no session, or the session of another agent', async () => {
    await using daemon = await startDaemon({
      flags: withAgents({ demo: acpProgram(), other: acpProgram() }),
    });
    const { client } = daemon;
    const command = await run(daemon, { title: 'x', prompt: 'true', assignedAgent: 'command' });
    const cwd = temporaryFolder();
    const demo = await run(daemon, { title: 'x', assignedAgent: 'demo', cwd });
    const create = (body: object) => client.tasks.create({ body: { title: 'y', ...body } });
    await expect(create({ continues: command.id })).rejects.toThrow(/"command" keeps no session/);
    await expect(create({ continues: demo.id, assignedAgent: 'other' })).rejects.toThrow(
      /The session belongs to the agent "demo", so other cannot continue it/,
    );
    rmSync(cwd, { recursive: true });
    await expect(create({ continues: demo.id })).rejects.toThrow(/The directory of the session is gone/);
    expect(await client.agents.listSessions()).toMatchObject({ sessions: [] });
  });
});

describe.skipIf(!hasSharedFixtures)('a recorded Claude Code', () => {
  /** A program that plays a transcript. */
  function playing(scenario: string): string {
    const file = join(temporaryFolder(), 'claude');
    const words = [process.execPath, player, transcriptPath('claude-stdio', scenario), '--', '"$@"'];
    writeFileSync(file, `#!/bin/sh\nexec ${words.join(' ')}\n`, { mode: 0o755 });
    return file;
  }

  it('needs a login when it refuses the one that it has, and says so in its test', async () => {
    await using daemon = await startDaemon({ flags: { 'agents.claude.program': playing('auth-401') } });
    const { client } = daemon;
    const params = { type: 'claude' };
    const { ok, steps } = await client.agents.test({ params });
    expect(ok).toBe(false);
    expect(steps.find(({ status }) => status === 'failed')).toMatchObject({
      name: 'turn',
      message: 'claude needs a login: run `claude` once and log in',
    });
    const { task } = await client.tasks.create({ body: { title: 'Hello', assignedAgent: 'claude' } });
    const waiting = await until(async () => {
      const { events } = await client.tasks.listEvents({ params: { id: task.id } });
      const event = events.find(({ type }) => type === 'waiting_for_agent');
      if (!event) throw new Error('it does not wait yet');
      return event;
    });
    expect(waiting.message).toContain('claude needs a login: run `claude` once and log in');
    await client.tasks.cancel({ params: { id: task.id } });
  });

  it('is ready with its login once a task has worked', async () => {
    await using daemon = await startDaemon({ flags: { 'agents.claude.program': playing('answer') } });
    const { client } = daemon;
    const stateOf = async () => (await client.agents.get({ params: { type: 'claude' } })).agent;
    expect(await stateOf()).toMatchObject({ state: 'needs_login', login: 'not_found', healthy: true });
    expect(await run(daemon, { title: 'Hello', assignedAgent: 'claude' })).toMatchObject({
      status: 'completed',
    });
    expect(await stateOf()).toMatchObject({ state: 'ready', login: 'found' });
  });
});
