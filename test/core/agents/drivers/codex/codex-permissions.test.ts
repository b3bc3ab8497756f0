import { describe, expect, it } from 'vitest';
import type { PermissionAnswer } from '../../../../../src/core/agents/drivers/driver.ts';
import { startCodexTurn } from '../../../../helpers/agents/codex-peer.ts';

const always = (decision: PermissionAnswer['decision']) => () => Promise.resolve({ decision });
const COMMAND = 'item/commandExecution/requestApproval';
const FILE = 'item/fileChange/requestApproval';
const command = {
  item: { type: 'commandExecution', id: 'c', command: 'ls', cwd: '/work', status: 'inProgress' },
};
const change = {
  item: {
    type: 'fileChange',
    id: 'f',
    status: 'inProgress',
    changes: [{ path: '/work/a', kind: { type: 'update', move_path: '/work/b' }, diff: '-1\n+2' }],
  },
};
const mcp = {
  item: {
    type: 'mcpToolCall',
    id: 'm',
    server: 'eco',
    tool: 'echo',
    arguments: { a: 1 },
    status: 'inProgress',
  },
};
const elicitation = {
  serverName: 'eco',
  _meta: { codex_approval_kind: 'mcp_tool_call', tool_name: 'echo', tool_params: { a: 1 } },
};
const choices = {
  itemId: 'm',
  questions: [
    {
      id: 'mcp_tool_call_approval_m',
      options: ['Allow', 'Allow for this session', 'Cancel'].map((label) => ({ label })),
    },
  ],
};

describe('the questions of Codex', () => {
  it.each([
    [COMMAND, { itemId: 'unknown', command: 'ls', cwd: '/work' }],
    [FILE, { itemId: 'unknown' }],
    [FILE, { itemId: 'f', grantRoot: '/' }],
    ['mcpServer/elicitation/request', { ...elicitation, serverName: 'other' }],
    [
      'mcpServer/elicitation/request',
      { ...elicitation, _meta: { ...elicitation._meta, tool_params: { a: 2 } } },
    ],
    ['mcpServer/elicitation/request', { serverName: 'eco', message: 'Your password?' }],
    ['item/tool/requestUserInput', { ...choices, itemId: 'unknown' }],
    ['item/tool/requestUserInput', { itemId: 'm', questions: [{ id: 'q', options: [{ label: 'Allow' }] }] }],
  ])(
    'are asked without a binding and denied where %s does not say what it is for',
    async (method, params) => {
      const peer = await startCodexTurn(always('allow'));
      peer.notify('item/started', change);
      peer.notify('item/started', mcp);
      const { result } = await peer.request(method, params);
      expect(peer.questions).toMatchObject([{ bound: undefined, isExact: false }]);
      expect(JSON.stringify(result)).not.toMatch(/accept|Allow/);
    },
  );

  it('do not join a call that has ended', async () => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('item/started', command);
    peer.notify('item/completed', { item: { ...command.item, status: 'completed' } });
    const { result } = await peer.request(COMMAND, { itemId: 'c', command: 'ls' });
    expect(result).toEqual({ decision: 'decline' });
  });

  it.each([
    { itemId: 'c', command: 'lt', cwd: '/work' },
    { itemId: 'c', command: 'ls', cwd: '/' },
  ])('are denied where the command is not the one of the item: %j', async (asked) => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('item/started', command);
    expect(await peer.request(COMMAND, asked)).toMatchObject({ result: { decision: 'decline' } });
    expect(peer.questions).toMatchObject([{ bound: undefined, isExact: false }]);
  });

  it('bind a part of a command together with the whole', async () => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('item/started', command);
    const asked = { itemId: 'c', approvalId: 'part-1', command: 'rm x', cwd: '/' };
    await peer.request(COMMAND, { ...asked, networkApprovalContext: { host: 'h' } });
    expect(peer.questions[0]).toMatchObject({
      bound: {
        command: 'rm x',
        cwd: '/',
        item: { command: 'ls', cwd: '/work' },
        networkApprovalContext: { host: 'h' },
      },
      command: { text: 'rm x', cwd: '/' },
      isExact: false,
    });
  });

  it('join a call whose id is a number', async () => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('item/started', { item: { ...command.item, id: 7 } });
    const { result } = await peer.request(COMMAND, { itemId: 7, command: 'ls', cwd: '/work' });
    expect(result).toEqual({ decision: 'accept' });
  });

  it('name the target of a move and the newest diff', async () => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('item/started', change);
    const changes = [{ ...change.item.changes[0], diff: '-1\n+3' }];
    peer.notify('item/fileChange/patchUpdated', { itemId: 'f', changes });
    expect((await peer.request(FILE, { itemId: 'f' }))['result']).toEqual({ decision: 'accept' });
    expect(peer.questions[0]?.paths?.map(({ path }) => path)).toEqual(['/work/a', '/work/b']);
    expect(peer.questions[0]?.bound).toMatchObject({ changes: [{ diff: '-1\n+3' }] });
  });

  it.each([
    ['allow', { decision: 'accept' }, 'accept', 'Allow'],
    ['deny', { decision: 'decline' }, 'decline', 'Cancel'],
  ] as const)('get the answer for once: %s', async (decision, review, action, label) => {
    const peer = await startCodexTurn(always(decision));
    for (const started of [command, change, mcp]) peer.notify('item/started', started);
    const ask = async (method: string, params: object) =>
      (await peer.request(method, { ...params }))['result'];
    expect(await ask(COMMAND, { itemId: 'c', command: 'ls' })).toEqual(review);
    expect(await ask(FILE, { itemId: 'f' })).toEqual(review);
    expect(await ask('mcpServer/elicitation/request', elicitation)).toEqual({
      action,
      content: decision === 'allow' ? {} : null,
      _meta: null,
    });
    expect(await ask('item/tool/requestUserInput', choices)).toEqual({
      answers: { mcp_tool_call_approval_m: { answers: [label] } },
    });
  });

  it('are denied where asking fails and where no turn is under way', async () => {
    const peer = await startCodexTurn(() => Promise.reject(new Error('gone')));
    peer.notify('item/started', command);
    const asked = { itemId: 'c', command: 'ls' };
    expect((await peer.request(COMMAND, asked))['result']).toEqual({ decision: 'decline' });
    peer.complete('completed');
    await peer.end;
    expect((await peer.request(COMMAND, asked))['result']).toEqual({ decision: 'decline' });
    expect(peer.questions).toHaveLength(1);
  });

  it('are answered before the turn is interrupted', async () => {
    const peer = await startCodexTurn(() => new Promise(() => undefined));
    peer.notify('item/started', command);
    const answers = [1, 2].map(() => peer.request(COMMAND, { itemId: 'c', command: 'ls' }));
    peer.driver.cancel();
    for (const { result } of await Promise.all(answers)) expect(result).toEqual({ decision: 'cancel' });
    const late = await peer.request(COMMAND, { itemId: 'c', command: 'ls' });
    expect(late['result']).toEqual({ decision: 'cancel' });
    peer.complete('interrupted');
    expect(await peer.end).toEqual({ outcome: 'cancelled', text: '' });
    const at = (test: (message: Record<string, unknown>) => boolean) => peer.sent.findIndex(test);
    const interrupt = at(({ method }) => method === 'turn/interrupt');
    expect(at(({ id }) => id === 'request-0')).toBeLessThan(interrupt);
    expect(at(({ id }) => id === 'request-1')).toBeLessThan(interrupt);
  });

  it('end the run where the answer is that it is cancelled', async () => {
    const peer = await startCodexTurn(always('cancelled'));
    peer.notify('item/started', command);
    const { result } = await peer.request(COMMAND, { itemId: 'c', command: 'ls' });
    expect(result).toEqual({ decision: 'cancel' });
    peer.complete('interrupted');
    expect((await peer.end).outcome).toBe('cancelled');
  });

  it.each(['item/permissions/requestApproval', 'execCommandApproval', 'fs/whatever'])(
    'that svc does not know are refused: %s',
    async (method) => {
      const peer = await startCodexTurn(always('allow'));
      expect((await peer.request(method, { itemId: 'c' }))['error']).toMatchObject({ code: -32601 });
      expect(peer.questions).toEqual([]);
    },
  );
});
