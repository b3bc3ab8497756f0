import { describe, expect, it } from 'vitest';
import { createCodexDriver } from '../../../../../src/core/agents/drivers/codex/codex-driver.ts';
import type { PermissionAnswer } from '../../../../../src/core/agents/drivers/driver.ts';
import {
  type CodexPeer,
  createCodexPeer,
  order,
  startCodexTurn,
} from '../../../../helpers/agents/codex-peer.ts';

const always = (decision: PermissionAnswer['decision']) => () => Promise.resolve({ decision });
const exit = { code: 1, signal: null };
const command = (output: string, id = 'c', status = 'failed') => ({
  item: {
    type: 'commandExecution',
    id,
    command: 'ls',
    cwd: '/work',
    status,
    aggregatedOutput: output,
    exitCode: 1,
  },
});
const say = (peer: CodexPeer, text: string, phase: string | null = null, id = text) =>
  peer.notify('item/completed', { item: { type: 'agentMessage', id, text, phase } });
const deny = async (peer: CodexPeer) => {
  peer.notify('item/started', command('', 'c', 'inProgress'));
  await peer.request('item/commandExecution/requestApproval', { itemId: 'c', command: 'ls' });
};
const NO_SANDBOX = 'bwrap: Creating new namespace failed: Operation not permitted';

describe('the end of a turn of Codex', () => {
  it('is no success where a denied call has no later answer', async () => {
    const peer = await startCodexTurn(always('deny'));
    say(peer, 'First.');
    await deny(peer);
    peer.complete('completed');
    expect(await peer.end).toMatchObject({ failure: { class: 'policy_denied', code: 'permission_denied' } });
  });

  it('is a success where Codex answers after a denied call', async () => {
    const peer = await startCodexTurn(always('deny'));
    await deny(peer);
    say(peer, 'Then not.');
    peer.complete('completed');
    expect(await peer.end).toEqual({ outcome: 'completed', text: 'Then not.' });
  });

  it('is no success where Codex reports an error with it', async () => {
    const peer = await startCodexTurn(always('allow'));
    say(peer, 'Done.');
    peer.complete('completed', { message: 'Too many.', codexErrorInfo: 'usageLimitExceeded' });
    expect(await peer.end).toMatchObject({ outcome: 'failed', failure: { class: 'quota' } });
  });

  it('has the text that was streamed where the end of the message is lost', async () => {
    const peer = await startCodexTurn(always('allow'));
    for (const delta of ['Do', 'ne.']) peer.notify('item/agentMessage/delta', { itemId: 3, delta });
    peer.complete('completed');
    expect(await peer.end).toEqual({ outcome: 'completed', text: 'Done.' });
  });

  it('is no success where every command failed for want of a sandbox', async () => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('item/completed', command(NO_SANDBOX));
    say(peer, 'Done.');
    peer.complete('completed');
    expect(await peer.end).toMatchObject({ failure: { class: 'agent_error', code: 'sandbox' } });
  });

  it('is a success where another command ran', async () => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('item/completed', command(NO_SANDBOX));
    peer.notify('item/completed', command('ok', 'd', 'completed'));
    say(peer, 'Done.');
    peer.complete('completed');
    expect(await peer.end).toMatchObject({ outcome: 'completed' });
  });

  it('is a success with a change and no text', async () => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('item/completed', {
      item: { type: 'fileChange', id: 'f', status: 'completed', changes: [] },
    });
    peer.complete('completed');
    expect(await peer.end).toEqual({ outcome: 'completed', text: '' });
  });

  it('has the answer that Codex calls final, while all messages are passed on', async () => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('item/agentMessage/delta', { itemId: 'a', delta: 'I look ' });
    say(peer, 'I look around.', 'commentary', 'a');
    say(peer, 'All is well.', 'final_answer');
    peer.complete('completed');
    expect(await peer.end).toEqual({ outcome: 'completed', text: 'All is well.' });
    expect(peer.texts).toEqual(['I look ', 'around.', '\nAll is well.']);
  });

  it('is not the end of another thread or of an earlier turn', async () => {
    const peer = await startCodexTurn(always('allow'));
    const turn = { id: 'other', status: 'completed', items: [] };
    peer.notify('turn/completed', { threadId: 'thread-2', turn });
    peer.notify('turn/completed', { threadId: 'thread-1', turn });
    say(peer, 'Here.');
    peer.complete('completed');
    expect(await peer.end).toEqual({ outcome: 'completed', text: 'Here.' });
  });

  it.each([
    [{ codexErrorInfo: { httpConnectionFailed: { httpStatusCode: 503 } } }, 'network', 'server_error'],
    [
      { codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: null } } },
      'network',
      'connection_lost',
    ],
    [{ codexErrorInfo: 'serverOverloaded' }, 'network', 'server_error'],
    [{ codexErrorInfo: 'unauthorized' }, 'auth', 'login_required'],
    [{ codexErrorInfo: 'cyberPolicy' }, 'agent_error', 'refused'],
    [{ codexErrorInfo: 'other', message: 'something else' }, 'agent_error', 'turn_failed'],
    [{ codexErrorInfo: 'somethingNew' }, 'agent_error', 'turn_failed'],
  ])('fails by its typed error: %j', async (error, failureClass, code) => {
    const peer = await startCodexTurn(always('allow'));
    peer.complete('failed', error);
    expect(await peer.end).toMatchObject({ failure: { class: failureClass, code } });
  });

  it('fails by the last error where the turn itself names none', async () => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('error', { error: { message: 'Reconnecting' }, willRetry: true });
    peer.notify('error', { error: { message: 'No.', codexErrorInfo: 'unauthorized' }, willRetry: false });
    peer.complete('failed');
    expect(await peer.end).toMatchObject({ failure: { class: 'auth' } });
    expect(peer.notes).toEqual(['Reconnecting']);
  });

  it('takes the reset of the window that is used up', async () => {
    const peer = await startCodexTurn(always('allow'));
    peer.notify('account/rateLimits/updated', {
      rateLimits: {
        primary: { usedPercent: 40, resetsAt: 100 },
        secondary: { usedPercent: 100, resetsAt: 200 },
      },
    });
    peer.notify('account/rateLimits/updated', { rateLimits: { primary: null, secondary: null } });
    peer.complete('failed', { codexErrorInfo: 'usageLimitExceeded' });
    expect(await peer.end).toMatchObject({ failure: { class: 'quota', resetsAt: 200_000 } });
  });

  it('is a crash where the process exits first, and cancelled where it was to be cancelled', async () => {
    const crashed = await startCodexTurn(always('allow'));
    crashed.driver.close(exit, 'noise\nError: it broke\n');
    expect(await crashed.end).toMatchObject({
      failure: {
        class: 'agent_crash',
        message: 'Codex exited with code 1 before the end of its turn: Error: it broke',
      },
    });
    expect(await crashed.driver.prompt('Again.')).toMatchObject({ failure: { class: 'agent_crash' } });

    const cancelled = await startCodexTurn(always('allow'));
    cancelled.driver.cancel();
    cancelled.driver.close({ code: null, signal: 'SIGTERM' }, '');
    expect(await cancelled.end).toEqual({ outcome: 'cancelled', text: '' });
  });
});

describe('the start of a session of Codex', () => {
  it('leaves the sandbox to svc where there is one', async () => {
    const peer = await startCodexTurn(always('allow'), { isSandboxed: true, model: 'm' });
    expect(peer.sent.find(({ method }) => method === 'thread/start')?.['params']).toEqual({
      cwd: '/work',
      approvalPolicy: 'untrusted',
      sandbox: 'danger-full-access',
      model: 'm',
      config: {},
    });
  });

  it('switches the MCP servers of its user off', async () => {
    const peer = await startCodexTurn(
      always('allow'),
      { mcpServers: [{ name: 'ours', command: 'x', args: [], env: {} }] },
      { config: { mcp_servers: { ours: {}, theirs: {} } } },
    );
    expect(peer.sent.find(({ method }) => method === 'thread/start')?.['params']).toMatchObject({
      config: { 'mcp_servers.theirs.enabled': false },
    });
    expect(JSON.stringify(peer.sent)).not.toContain('ours.enabled');
  });

  it('sends images before the text', async () => {
    const peer = createCodexPeer(always('allow'));
    await peer.driver.open(order);
    void peer.driver.prompt('What is it?', [{ mediaType: 'image/png', base64: 'AAAA' }]);
    expect(peer.sent.at(-1)?.['params']).toMatchObject({
      input: [
        { type: 'image', url: 'data:image/png;base64,AAAA' },
        { type: 'text', text: 'What is it?' },
      ],
    });
  });

  it.each([{ approvalPolicy: 'never' }, { approvalsReviewer: 'auto_review' }])(
    'fails where Codex would not ask svc: %j',
    async (started) => {
      const peer = createCodexPeer(always('allow'), started);
      expect(await peer.driver.open(order)).toMatchObject({ failure: { code: 'does_not_ask' } });
    },
  );

  it('says that the session to continue does not exist', async () => {
    const driver = createCodexDriver((message) => {
      const { id, method } = message as { id?: number; method: string };
      const error = { code: -32600, message: 'no rollout found for thread id t' };
      const answer = method === 'thread/resume' ? { id, error } : { id, result: {} };
      if (id !== undefined) queueMicrotask(() => driver.receive(JSON.stringify(answer)));
    }, createListener());
    expect(await driver.open({ ...order, resume: 't' })).toMatchObject({
      failure: { code: 'session_not_found' },
    });
  });

  it('fails where the process exits first', async () => {
    const driver = createCodexDriver(() => undefined, createListener());
    const opened = driver.open(order);
    driver.close(exit, '');
    expect(await opened).toMatchObject({ failure: { class: 'agent_crash', code: 'exited' } });
  });
});

const createListener = () => ({
  onSession: () => undefined,
  onText: () => undefined,
  onThinking: () => undefined,
  onCall: () => undefined,
  onPlan: () => undefined,
  onUsage: () => undefined,
  onStep: () => undefined,
  onNote: () => undefined,
  ask: always('allow'),
});
