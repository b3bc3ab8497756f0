import { describe, expect, it } from 'vitest';
import type { PermissionQuestion } from '../../../../../src/core/agents/drivers/driver.ts';
import { AcpAgent, order } from '../../../../helpers/agents/acp-agent.ts';

/** An agent in the middle of a turn. */
async function working(servers: readonly string[] = []) {
  const agent = new AcpAgent();
  await agent.driver.open({
    ...order,
    mcpServers: servers.map((name) => ({ name, command: 'x', args: [], env: {} })),
  });
  return { agent, turn: agent.driver.prompt('go') };
}
/** The question that the driver asks about a call. */
async function questionAbout(toolCall: object, servers?: readonly string[], earlier?: object) {
  const { agent } = await working(servers);
  if (earlier) await agent.update('tool_call', { toolCallId: 'c1', ...earlier });
  await agent.ask(9, { toolCallId: 'c1', ...toolCall });
  return agent.questions[0] as PermissionQuestion;
}
const outcomeOf = (agent: AcpAgent, id: number) => agent.answerTo(id)?.result;
const selected = (optionId: string) => ({ outcome: { outcome: 'selected', optionId } });
const cancelled = { outcome: { outcome: 'cancelled' } };

describe('the answer', () => {
  it('allows this one call, never more', async () => {
    const { agent } = await working();
    await agent.ask(9, { toolCallId: 'c1', title: 'ls', kind: 'execute' });
    expect(outcomeOf(agent, 9)).toEqual(selected('the allow_once'));
    await agent.ask(10, { toolCallId: 'c2', title: 'ls', kind: 'execute' }, ['allow_always', 'reject_once']);
    expect(outcomeOf(agent, 10)).toEqual(cancelled);
    expect(agent.calls.map(({ status }) => status)).toEqual(['pending', 'declined']);
  });

  it('never allows a call without an id', async () => {
    const { agent } = await working();
    await agent.ask(9, { title: 'ls', kind: 'execute', rawInput: { command: 'ls' } });
    expect(agent.questions).toMatchObject([{ bound: undefined }]);
  });

  it('joins a call whose id is a number', async () => {
    const { agent } = await working();
    await agent.update('tool_call', { toolCallId: 7, kind: 'execute', rawInput: { command: 'ls' } });
    await agent.ask(9, { toolCallId: 7, kind: 'execute' });
    expect(agent.questions).toMatchObject([{ call: { id: '7' }, command: { text: 'ls' } }]);
  });

  it('rejects this one call, else cancels the question', async () => {
    const { agent } = await working();
    agent.decide = () => Promise.resolve({ decision: 'deny' });
    await agent.ask(9, { toolCallId: 'c1', title: 'ls', kind: 'execute' });
    expect(outcomeOf(agent, 9)).toEqual(selected('the reject_once'));
    await agent.ask(10, { toolCallId: 'c2', title: 'ls', kind: 'execute' }, ['allow_once', 'reject_always']);
    expect(outcomeOf(agent, 10)).toEqual(cancelled);
    await agent.update('tool_call_update', { toolCallId: 'c1', status: 'failed' });
    expect(agent.calls.map(({ status }) => status)).toEqual(['declined', 'declined']);
  });

  it('of a call that was not allowed and not answered later fails the turn', async () => {
    for (const [stopReason, later, outcome] of [
      ['end_turn', '', 'failed'],
      ['cancelled', 'I see.', 'failed'],
      ['end_turn', 'I see.', 'completed'],
    ] as const) {
      const { agent, turn } = await working();
      agent.decide = () => Promise.resolve({ decision: 'deny' });
      await agent.message('I try.');
      await agent.ask(9, { toolCallId: 'c1', title: 'ls', kind: 'execute' });
      await agent.message(later);
      await agent.respond('session/prompt', { stopReason });
      expect(await turn).toMatchObject(
        outcome === 'failed' ? { failure: { class: 'policy_denied' } } : { outcome },
      );
    }
  });

  it('cancels the turn where the decision is to end the run', async () => {
    const { agent, turn } = await working();
    agent.decide = () => Promise.resolve({ decision: 'cancelled' });
    await agent.ask(9, { toolCallId: 'c1', title: 'ls', kind: 'execute' });
    expect(agent.methods).toContain('session/cancel');
    expect(outcomeOf(agent, 9)).toEqual(cancelled);
    await agent.respond('session/prompt', { stopReason: 'end_turn' });
    expect(await turn).toMatchObject({ outcome: 'cancelled' });
  });

  it('is cancelled for every open and every later question when the turn is cancelled', async () => {
    const { agent, turn } = await working();
    agent.decide = () => new Promise(() => undefined);
    await agent.ask(9, { toolCallId: 'c1', title: 'a', kind: 'execute' });
    await agent.ask(10, { toolCallId: 'c2', title: 'b', kind: 'execute' });
    agent.driver.cancel();
    agent.driver.cancel();
    await agent.ask(11, { toolCallId: 'c3', title: 'c', kind: 'execute' });
    expect([9, 10, 11].map((id) => outcomeOf(agent, id))).toEqual([cancelled, cancelled, cancelled]);
    expect(agent.methods.filter((method) => method === 'session/cancel')).toHaveLength(1);
    expect(agent.questions).toHaveLength(2);
    await agent.say({ id: 3, error: { code: -32603, message: 'aborted' } });
    expect(await turn).toEqual({ outcome: 'cancelled', text: '' });
  });

  it.each(['fs/read_text_file', 'fs/write_text_file', 'terminal/create', 'new/thing'])(
    'to %s is that svc has no such method',
    async (method) => {
      const { agent } = await working();
      await agent.say({ id: 9, method, params: { path: '/etc/passwd' } });
      expect(agent.answerTo(9)?.error).toMatchObject({ code: -32601 });
      expect(agent.questions).toEqual([]);
    },
  );
});

describe('a shell command', () => {
  it('is the argument, and joins the words of a list so that a shell reads the same', async () => {
    const input = { command: ['bash', '-c', "echo 'a b'"], cwd: '/work/sub' };
    const question = await questionAbout({ kind: 'execute', title: 'other', rawInput: input });
    expect(question).toMatchObject({
      isExact: true,
      command: { text: String.raw`bash -c 'echo '\''a b'\'''`, cwd: '/work/sub' },
      bound: { input },
    });
  });

  it('is the title only where the agent reports no arguments, and then no rule may allow it', async () => {
    expect(await questionAbout({ kind: 'execute', title: 'ls' })).toMatchObject({
      isExact: false,
      command: { text: 'ls' },
      bound: { title: 'ls' },
    });
    const unknown = await questionAbout({ kind: 'execute', title: 'Terminal', rawInput: {} });
    expect([unknown.command, unknown.bound, unknown.isExact]).toEqual([undefined, undefined, false]);
  });

  it('stays one where the agent says that it only reads', async () => {
    const question = await questionAbout({
      kind: 'read',
      title: 'Read a',
      rawInput: { command: 'cat a | sh' },
    });
    expect(question).toMatchObject({ call: { kind: 'shell' }, command: { text: 'cat a | sh' } });
  });

  it('that looks like the name of an MCP tool is no MCP tool', async () => {
    const title = 'echo (eco MCP Server)';
    for (const name of [title, 'mcp.eco.echo', 'eco_echo'])
      expect((await questionAbout({ kind: 'execute', title: name }, ['eco'])).call.kind).toBe('shell');
  });
});

describe('a question', () => {
  it('joins what the agent said of the call before, and is bound to a copy of it', async () => {
    const { agent } = await working();
    const diff = { type: 'diff', path: '/work/a', oldText: null, newText: 'x', _meta: { kind: 'add' } };
    await agent.update('tool_call', { toolCallId: 'c1', kind: 'edit', title: 'Editing', content: [diff] });
    agent.decide = () => new Promise(() => undefined);
    await agent.ask(9, {
      toolCallId: 'c1',
      kind: 'edit',
      title: 'Edit files',
      locations: [{ path: '/work/b' }],
    });
    const change = [{ ...diff, newText: 'y' }];
    await agent.update('tool_call_update', {
      toolCallId: 'c1',
      content: change,
      locations: [{ path: '/etc' }],
    });
    expect(agent.questions[0]).toMatchObject({
      call: { status: 'pending', diff: [{ newText: 'x' }] },
      bound: {
        title: 'Edit files',
        kind: 'edit',
        locations: [{ path: '/work/b' }],
        diffs: [{ path: '/work/a', newText: 'x' }],
      },
      paths: [
        { path: '/work/b', operation: 'write' },
        { path: '/work/a', operation: 'write' },
      ],
    });
    expect(agent.calls[0]?.diff).toEqual([{ path: '/work/a', newText: 'y' }]);
  });

  it.each([
    ['nothing but an ID', { kind: 'execute' }],
    [
      'an edit of which only the path is known',
      { kind: 'edit', title: 'Edit files', locations: [{ path: '/a' }] },
    ],
    ['only the name of the tool', { kind: 'other', title: 'fetch', name: 'fetch' }],
    ['no ID either', { toolCallId: 7 }],
  ])('with %s is bound to nothing', async (_what, toolCall) => {
    expect((await questionAbout(toolCall, ['eco'])).bound).toBeUndefined();
  });

  it('is bound to the MCP tool where its arguments come after the question, which only a person can allow', async () => {
    const question = await questionAbout({ kind: 'other', title: 'eco_echo', rawInput: {} }, ['eco']);
    expect(question).toMatchObject({
      bound: { title: 'eco_echo', mcp: { server: 'eco', tool: 'echo' } },
      isExact: false,
    });
  });

  it('names files to read, and takes those of an unknown kind of call for written', async () => {
    const read = await questionAbout({
      kind: 'read',
      rawInput: { filePath: '/a' },
      locations: [{ path: '/b' }],
    });
    expect(read.paths).toEqual([
      { path: '/b', operation: 'read' },
      { path: '/a', operation: 'read' },
    ]);
    const other = await questionAbout({ kind: 'constructor', title: 'Do it', rawInput: { path: '/a' } });
    expect([other.call.kind, other.paths]).toEqual(['other', [{ path: '/a', operation: 'write' }]]);
  });

  it('about a tool whose name several MCP servers could have names none of them', async () => {
    const question = await questionAbout({ kind: 'other', title: 'a_b_c', rawInput: { x: 1 } }, ['a', 'a_b']);
    expect([question.call.kind, question.mcp]).toEqual(['other', undefined]);
  });

  it('outside a turn is cancelled', async () => {
    const { agent, turn } = await working();
    await agent.respond('session/prompt', { stopReason: 'end_turn' });
    await turn;
    await agent.ask(9, { toolCallId: 'c1', title: 'ls', kind: 'execute' });
    expect(outcomeOf(agent, 9)).toEqual(cancelled);
    expect(agent.questions).toEqual([]);
  });
});

it('about a tool without a server, whose arguments do not come, is for a person to decide by its name', async () => {
  const question = await questionAbout({ kind: 'other', title: 'eco_echo', rawInput: {} });
  expect(question).toMatchObject({
    bound: { kind: 'other', name: 'eco_echo' },
    hidesArguments: true,
    isExact: false,
  });
});

it('comes again with the arguments of a tool of an MCP server that are said after it', async () => {
  const { later, agent } = await new Promise<PermissionQuestion & { agent: AcpAgent }>((resolve, reject) => {
    void working(['eco']).then(async ({ agent: asking }) => {
      asking.decide = (question) => {
        resolve({ ...question, agent: asking });
        return new Promise(() => undefined);
      };
      await asking.ask(9, { toolCallId: 'c1', kind: 'other', title: 'eco_echo', rawInput: {} });
    }, reject);
  });
  const rawInput = { text: 'x' };
  await agent.update('tool_call_update', { toolCallId: 'c1', status: 'in_progress', rawInput });
  expect((await later)?.bound).toMatchObject({ input: rawInput });
});
