import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import { send } from '../../helpers/agents/agent-conversation.ts';
import { playedAgent } from '../../helpers/agents/recorded-runs.ts';
import { readTranscript, transcriptPath } from '../../helpers/agents/transcripts.ts';
import { startDaemon, temporaryFolder, type TestDaemon } from '../../helpers/daemon.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';
import { addUser } from '../../helpers/users.ts';

const script = fileURLToPath(new URL('../../helpers/agents/scripted-acp.mjs', import.meta.url));
const daemons: TestDaemon[] = [];
afterEach(async () => {
  for (const daemon of daemons.splice(0)) await daemon[Symbol.asyncDispose]();
});

/** The settings with an agent whose prompts say what it does; it keeps its sessions in the directory, if there is one. */
const scripted = (...directory: string[]) => ({
  'agents.added': { toy: { program: process.execPath, args: [script, ...directory], env: {} } },
  'agents.sandboxPaths': directory.map((path) => ({ path, write: true })),
});

async function open(
  flags: Record<string, unknown> = scripted(temporaryFolder()),
  { agent = 'toy', home }: { agent?: string; home?: string } = {},
) {
  const daemon = await startDaemon({ flags, ...(home !== undefined && { home }) });
  daemons.push(daemon);
  const cwd = realpathSync(temporaryFolder());
  const { conversation } = await daemon.client.conversations.create({ body: { cwd, agent } });
  return { daemon, cwd, id: conversation.id, conversation };
}

/** A budget that others have used up. */
async function usedUp(onReached: 'ask' | 'stop') {
  const budgets = [{ scope: 'all', period: 'day', tokens: 1000, onReached }];
  const opened = await open({ ...scripted(temporaryFolder()), budgets });
  const { usage } = opened.daemon.app;
  const counts = { inputTokens: 1000, outputTokens: 0, costUsd: undefined };
  usage.record({ usedBy: { userId: 'user_other' }, provider: '', model: '', ...counts });
  await usage.idle();
  return opened;
}

const typesOf = (events: readonly RunEvent[]) => [...new Set(events.map(({ type }) => type))];

describe('a conversation with an agent', () => {
  it('asks a person about a budget that is used up, and does not begin where it is denied', async () => {
    const { daemon, id } = await usedUp('ask');
    const denied = await send(daemon, id, 'one', { decide: 'deny' });
    expect(typesOf(denied.events)).toEqual([
      'user_message',
      'agent:start',
      'tool:call',
      'approval:requested',
      'approval:decided',
      'tool:result',
      'error',
    ]);
    expect(denied.answer).toMatchObject({ status: 'interrupted', error: { code: 'BUDGET_DENIED' } });
    const allowed = await send(daemon, id, 'two');
    expect(allowed.events.find(({ type }) => type === 'approval:requested')?.data).toMatchObject({
      approval: { toolName: 'exceed_budget', conversationId: id },
    });
    expect(allowed.answer).toMatchObject({
      status: 'completed',
      content: expect.stringMatching(/ s1 two$/),
      toolCalls: [{ name: 'exceed_budget', result: 'The budget was raised', status: 'success' }],
    });
  });

  it('ends where a budget that stops is used up', async () => {
    const { daemon, id } = await usedUp('stop');
    const { events, answer } = await send(daemon, id, 'one');
    expect(typesOf(events)).toEqual(['user_message', 'agent:start', 'error']);
    expect(answer).toMatchObject({ status: 'interrupted', error: { code: 'DAY_BUDGET' } });
  });

  it('sends each message to one process in the directory itself, and names the agent', async () => {
    const { daemon, cwd, id, conversation } = await open();
    expect(conversation).toMatchObject({ agent: 'toy', cwd });
    const first = await send(daemon, id, 'one');
    const second = await send(daemon, id, 'two');
    expect(first.events.find(({ type }) => type === 'agent:start')?.data).toMatchObject({
      agent: 'toy',
      cwd,
    });
    expect(typesOf(first.events)).toEqual([
      'user_message',
      'agent:start',
      'text:delta',
      'complete',
      'message_saved',
    ]);
    const [pid] = first.answer.content.split(' ');
    expect([first.answer.content, second.answer.content]).toEqual([`${pid} s1 one`, `${pid} s1 two`]);
    expect(second.answer).toMatchObject({ status: 'completed', provider: 'toy' });
    const { conversations } = await daemon.client.conversations.list();
    expect(conversations).toMatchObject([{ id, agent: 'toy', messageCount: 4 }]);
  });

  it('asks a person for a call, runs it once it is allowed, and stores it with the answer', async () => {
    const { daemon, id } = await open();
    const { events, answer } = await send(daemon, id, 'run touch made.txt');
    expect(typesOf(events)).toEqual([
      'user_message',
      'agent:start',
      'tool:call',
      'approval:requested',
      'approval:decided',
      'tool:result',
      'text:delta',
      'complete',
      'message_saved',
    ]);
    expect(events.filter(({ type }) => type === 'approval:decided')).toHaveLength(1);
    expect(answer).toMatchObject({
      content: 'Done.',
      status: 'completed',
      toolCalls: [{ name: 'run_command', result: 'it ran', status: 'success' }],
    });
    const { approvals } = await daemon.client.approvals.list({ query: { status: 'all' } });
    expect(approvals).toMatchObject([{ conversationId: id, status: 'approved' }]);
    expect(Date.parse(approvals[0]!.expiresAt) - Date.parse(approvals[0]!.requestedAt)).toBe(600_000);
  });

  it('tells the agent of a denial, and the answer says what was refused', async () => {
    const { daemon, id } = await open();
    const { events, answer } = await send(daemon, id, 'run touch made.txt', { decide: 'deny' });
    expect(answer).toMatchObject({ content: 'Not done.', toolCalls: [{ status: 'error' }] });
    const complete = events.find(({ type }) => type === 'complete');
    expect(complete?.data).toMatchObject({
      refusedCalls: { count: 1, calls: [{ reason: expect.stringContaining('not here') }] },
    });
  });

  it('asks no more for a call that a person allows always', async () => {
    const { daemon, id } = await open();
    await send(daemon, id, 'run touch made.txt', { decide: 'allow-always' });
    const { events } = await send(daemon, id, 'run touch made.txt');
    expect(typesOf(events)).not.toContain('approval:requested');
  });

  it('keeps what an interrupted turn has said, and the process', async () => {
    const { daemon, id } = await open();
    const { answer: before } = await send(daemon, id, 'one');
    const { events, answer } = await send(daemon, id, 'hang', {
      onEvent: ({ type }) => {
        if (type !== 'text:delta') return undefined;
        return daemon.client.conversations.stopTurn({ params: { id } });
      },
    });
    expect(events.at(-1)).toMatchObject({ type: 'error', data: { code: 'CANCELLED' } });
    expect(answer).toMatchObject({ content: 'Begun.', status: 'interrupted', error: { code: 'CANCELLED' } });
    const { answer: after } = await send(daemon, id, 'two');
    expect(after.content.split(' ')[0]).toBe(before.content.split(' ')[0]);
  });

  it('continues the session in another process after a crash', async () => {
    const { daemon, id } = await open();
    const { answer: before } = await send(daemon, id, 'one');
    const { answer: crashed } = await send(daemon, id, 'crash');
    expect(crashed).toMatchObject({
      status: 'failed',
      error: {
        code: 'AGENT_CRASH',
        message: expect.stringContaining('Send another message to continue its session'),
      },
    });
    const { events, answer } = await send(daemon, id, 'two');
    expect(answer.content).toMatch(/ s1 two$/);
    expect(answer.content).not.toContain(before.content.split(' ')[0]);
    expect(events.find(({ type }) => type === 'agent:start')?.data).toHaveProperty('sessionId', 's1');
  });

  it('continues the session after the daemon was started again', async () => {
    const flags = scripted(temporaryFolder());
    const { daemon, id } = await open(flags);
    await send(daemon, id, 'one');
    await daemon.stop();
    const next = await startDaemon({ flags, home: daemon.home });
    daemons.push(next);
    const { answer } = await send(next, id, 'two');
    expect(answer.content).toMatch(/ s1 two$/);
  });

  it('keeps what a turn has said when the daemon stops', async () => {
    const flags = scripted(temporaryFolder());
    const { daemon, id } = await open(flags);
    const sent = daemon.client.conversations.sendMessageWithToolsStream({
      params: { id },
      body: { content: 'hang', securityMode: 'ask' },
    });
    let stopped: Promise<void> | undefined;
    // The connection ends with the daemon.
    const read = async () => {
      for await (const { data } of sent) if (data.type === 'text:delta') stopped = daemon.stop();
    };
    await read().catch(() => undefined);
    await stopped;
    const next = await startDaemon({ flags, home: daemon.home });
    daemons.push(next);
    const { messages } = await next.client.conversations.get({ params: { id } });
    expect(messages.at(-1)).toMatchObject({
      content: 'Begun.',
      status: 'interrupted',
      error: { code: 'STOPPED' },
    });
  });

  it('tells an agent that lost its session what was said before', async () => {
    const { daemon, id } = await open(scripted());
    await send(daemon, id, 'one');
    await send(daemon, id, 'crash');
    const { answer } = await send(daemon, id, 'two');
    expect(answer.content).toContain('began in a session that is lost');
    expect(answer.content).toContain('User: one');
    expect(answer.content).toMatch(/two$/);
  });

  it('shows a second client what happens', async () => {
    const { daemon, id } = await open();
    const seen: RunEvent[] = [];
    const leaving = new AbortController();
    const opened = Promise.withResolvers<void>();
    const following = (async () => {
      const stream = daemon.client.conversations.followEventsStream(
        { params: { id } },
        { signal: leaving.signal, onOpen: opened.resolve },
      );
      for await (const { data } of stream) {
        seen.push(data);
        if (data.type === 'message_saved') return;
      }
    })();
    await opened.promise;
    const { events } = await send(daemon, id, 'run touch made.txt');
    await following;
    leaving.abort();
    expect(seen.map(({ type }) => type)).toEqual(events.map(({ type }) => type));
  });

  it('is for users who may run commands', async () => {
    const { daemon, id } = await open();
    const { client: ben } = await addUser(daemon, 'ben');
    await expect(ben.conversations.create({ body: { agent: 'toy' } })).rejects.toMatchObject({ status: 403 });
    await expect(
      ben.conversations.sendMessageWithTools({ params: { id }, body: { content: 'one' } }),
    ).rejects.toMatchObject({ status: 404 });
  });

  it('refuses what an agent cannot do', async () => {
    const { daemon, id } = await open();
    const { conversations } = daemon.client;
    const params = { id };
    const refused = (asked: Promise<unknown>, text: string) => expect(asked).rejects.toThrow(text);
    await refused(conversations.create({ body: { agent: 'builtin' } }), 'There is no agent "builtin"');
    await refused(
      conversations.sendMessage({ params, body: { content: 'one' } }),
      'send messages with tools',
    );
    await refused(
      (async () => {
        for await (const event of conversations.sendAgenticMessageStream({
          params,
          body: { content: 'one' },
        }))
          expect(event).toBeUndefined();
      })(),
      'without agentic mode',
    );
    await refused(conversations.compact({ params, body: {} }), 'sums up its own session');
    await refused(
      conversations.sendMessageWithTools({ params, body: { content: 'one', securityMode: 'deny' } }),
      'Choose the mode ask',
    );
    const { messages } = await conversations.get({ params });
    expect(messages).toEqual([]);
  });

  it('says how to install an agent that is not there', async () => {
    const { daemon, id } = await open({}, { agent: 'gemini' });
    const sent = daemon.client.conversations.sendMessageWithTools({
      params: { id },
      body: { content: 'one', securityMode: 'ask' },
    });
    await expect(sent).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('npm install -g @google/gemini-cli'),
    });
  });
});

/** The recordings of each agent. */
const folders = {
  claude: 'claude-stdio',
  codex: 'codex-app-server',
  gemini: 'acp-gemini',
  opencode: 'acp-opencode',
} as const;

describe.runIf(hasSharedFixtures)('a conversation with a recorded agent', () => {
  const recorded = (scenario: string, agent: keyof typeof folders = 'claude') =>
    open(
      {
        ...playedAgent(agent),
        [`agents.${agent}.env`]: { AGENT_TRANSCRIPT: transcriptPath(folders[agent], scenario) },
      },
      { agent },
    );

  it.each(['claude', 'codex', 'gemini', 'opencode'] as const)(
    'gives %s two messages, then a call that it asks for',
    async (agent) => {
      const two = await recorded('two-turns', agent);
      for (const prompt of readTranscript(folders[agent], 'two-turns').prompts)
        expect((await send(two.daemon, two.id, prompt)).answer).toMatchObject({ status: 'completed' });
      const { daemon, id } = await recorded('shell-allowed', agent);
      const { answer } = await send(daemon, id, 'one');
      expect(answer).toMatchObject({ status: 'completed', toolCalls: [{ name: 'run_command' }] });
    },
  );

  it('answers two messages in one process, each with its own usage', async () => {
    const { daemon, id } = await recorded('two-turns');
    const { prompts, expect: expected } = readTranscript('claude-stdio', 'two-turns');
    const answers = [
      (await send(daemon, id, prompts[0] ?? '')).answer,
      (await send(daemon, id, prompts[1] ?? '')).answer,
    ];
    expect(answers.map(({ content }) => content).join('')).toBe(expected.text);
    expect(answers.map(({ status }) => status)).toEqual(['completed', 'completed']);
    // The recording says what the second turn used.
    const { inputTokens, outputTokens } = expected.usage ?? {};
    expect(answers[1]?.usage).toMatchObject({ promptTokens: inputTokens, completionTokens: outputTokens });
    const { conversation } = await daemon.client.conversations.get({ params: { id } });
    expect(conversation.usage?.completionTokens).toBe(2 * (outputTokens ?? 0));
    expect(conversation.usage?.costUsd).toBeCloseTo(expected.usage?.costUsd ?? 0, 6);
  });

  it('says how to log in, and notifies of it once', async () => {
    const { daemon, id } = await recorded('auth-401');
    const { client } = daemon;
    const { answer } = await send(daemon, id, 'one');
    expect(answer).toMatchObject({
      status: 'failed',
      error: { code: 'NEEDS_LOGIN', message: expect.stringContaining('run `claude` once and log in') },
    });
    const { conversation } = await client.conversations.create({ body: { agent: 'claude' } });
    await send(daemon, conversation.id, 'one');
    const { notifications } = await client.notifications.list();
    expect(notifications).toMatchObject([
      { type: 'agent_needs_login', title: 'claude needs a login: run `claude` once and log in' },
    ]);
    const { agents } = await client.agents.list();
    expect(agents.find(({ type }) => type === 'claude')).toMatchObject({ state: 'needs_login' });
  });

  it('says when a usage limit is reset', async () => {
    const { daemon, id } = await recorded('usage-limit-login');
    const { answer } = await send(daemon, id, 'one');
    expect(answer).toMatchObject({ status: 'failed', error: { code: 'USAGE_LIMIT' } });
  });

  it('interrupts a turn of the model', async () => {
    const { daemon, id } = await recorded('cancel-model');
    const { answer } = await send(daemon, id, 'one', {
      onEvent: ({ type }) => {
        if (type !== 'text:delta') return undefined;
        return daemon.client.conversations.stopTurn({ params: { id } });
      },
    });
    expect(answer.status).toBe('interrupted');
    expect(answer.content).not.toBe('');
  });
});
