import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playedAgent, runRecorded } from '../../helpers/agents/recorded-runs.ts';
import { changeable, processesOf } from '../../helpers/agents/played-agents.ts';
import { startDaemon, temporaryFolder } from '../../helpers/daemon.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { follow, until } from '../../helpers/tasks.ts';

const folder = () => realpathSync(temporaryFolder());

describe.runIf(hasSharedFixtures)('an agent whose login was refused', () => {
  it('keeps the task waiting, says so once, and runs it by itself after the login', async () => {
    await using daemon = await startDaemon({ flags: playedAgent('claude') });
    const { client, home } = daemon;
    const transcript = changeable(folder());
    transcript.play('claude-stdio', 'auth-401');
    const body = (title: string) => ({
      title,
      prompt: 'Hello',
      assignedAgent: 'claude',
      cwd: folder(),
      env: { AGENT_TRANSCRIPT: transcript.path },
    });
    const { task } = await client.tasks.create({ body: body('First') });
    const waiting = await until(async () => {
      const { task: now } = await client.tasks.get({ params: { id: task.id } });
      expect(now.status).toBe('pending');
      return now;
    });
    expect(waiting.attempts).toBe(0);
    const { task: second } = await client.tasks.create({ body: body('Second') });
    expect((await client.tasks.get({ params: { id: second.id } })).task.status).toBe('pending');
    const { notifications } = await client.notifications.list();
    expect(notifications.filter(({ type }) => type === 'agent_needs_login')).toMatchObject([
      { title: 'claude needs a login: run `claude` once and log in', taskId: task.id },
    ]);
    // A person who asks for it tries the login again.
    const attached = await client.tasks.create({ body: { ...body('Third'), attached: true } });
    for (const { id } of [task, second, attached.task])
      await until(async () => {
        const { events } = await client.tasks.listEvents({ params: { id } });
        expect(events.map(({ type }) => type).slice(-2)).toEqual(['progress', 'waiting_for_agent']);
        expect(events.filter(({ type }) => type === 'started')).toHaveLength(id === task.id ? 2 : 1);
      });
    const listed = async () => (await client.agents.list()).agents.find(({ type }) => type === 'claude');
    expect(await listed()).toMatchObject({ login: 'not_found', configured: false });

    transcript.play('claude-stdio', 'answer');
    mkdirSync(join(home, '.claude'), { recursive: true });
    writeFileSync(join(home, '.claude', '.credentials.json'), '{}');
    // As the daemon does each minute.
    expect(await listed()).toMatchObject({ login: 'found', configured: true });
    for (const { id } of [task, second])
      expect((await follow(client, id)).task).toMatchObject({ status: 'completed', attempts: 1 });
  });
});

describe.runIf(hasSharedFixtures)('an agent whose usage limit is used up', () => {
  it('defers the task without an attempt until after the reset', async () => {
    await using daemon = await startDaemon({ flags: playedAgent('claude') });
    const { task, events } = await runRecorded(daemon, 'claude', ['claude-stdio', 'usage-limit-login'], {
      cwd: folder(),
    });
    const deferred = events.find(({ type }) => type === 'deferred');
    expect(deferred?.data).toMatchObject({ class: 'quota', waitsFor: 'limit' });
    const due = Date.parse(deferred?.data['at'] as string);
    expect(due - Date.parse(deferred?.at ?? '')).toBeGreaterThanOrEqual(45_000);
    expect(task).toMatchObject({ status: 'queued', attempts: 0, scheduledFor: deferred?.data['at'] });
  });
});

describe.runIf(hasSharedFixtures)('a run of an agent', () => {
  it('is stopped and retried when the agent gives no sign of life', async () => {
    await using daemon = await startDaemon({
      flags: { ...playedAgent('opencode'), 'agents.silenceMs': 1000 },
    });
    const { events } = await runRecorded(daemon, 'opencode', ['acp-opencode', 'server-500'], {
      cwd: folder(),
    });
    const retry = events.find(({ type }) => type === 'retry_scheduled');
    expect(retry?.data).toMatchObject({ class: 'timeout', code: 'silent' });
  });

  it('is stopped at the limit of its task, and not retried', async () => {
    await using daemon = await startDaemon({ flags: playedAgent('codex') });
    const { task } = await runRecorded(daemon, 'codex', ['codex-app-server', 'usage'], {
      cwd: folder(),
      maxSteps: 1,
    });
    expect(task).toMatchObject({ status: 'failed', error: { class: 'budget', code: 'max_steps' } });
    expect(task.result?.usage?.outputTokens).toBeGreaterThan(0);
  });

  it('is verified after the agent says that it is done, and repaired in its session', async () => {
    await using daemon = await startDaemon({ flags: playedAgent('claude') });
    const { task, events } = await runRecorded(daemon, 'claude', ['claude-stdio', 'answer'], {
      cwd: folder(),
      verify: ['test -e done.txt'],
      repair: 1,
    });
    expect(task).toMatchObject({
      status: 'failed',
      error: { class: 'verify_failed' },
      result: { output: 'All good here.', verification: { status: 'failed', rounds: 2 } },
    });
    const starts = events
      .filter(({ data }) => data['type'] === 'agent:start')
      .map(({ data }) => data['sessionId']);
    expect(starts).toEqual([undefined, expect.any(String)]);
  });

  it('ends when it is cancelled while a person is asked, and leaves no process and no question', async () => {
    await using daemon = await startDaemon({ flags: playedAgent('gemini') });
    const { task } = await runRecorded(daemon, 'gemini', ['acp-gemini', 'cancel-permission'], {
      cwd: folder(),
    });
    expect(task.status).toBe('cancelled');
    await until(() => expect(processesOf(task.id)).toEqual([]));
    await until(async () => {
      const { approvals } = await daemon.client.approvals.list({ query: { status: 'pending' } });
      expect(approvals).toEqual([]);
    });
  });
});
