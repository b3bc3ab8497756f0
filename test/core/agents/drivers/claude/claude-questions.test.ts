import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { PermissionAnswer } from '../../../../../src/core/agents/drivers/driver.ts';
import {
  asks,
  type ClaudeSession,
  claudeSession,
  result,
  say,
  textDelta,
  toolResult,
  use,
} from '../../../../helpers/agents/claude-session.ts';

const answersOf = ({ sent }: ClaudeSession) =>
  sent.flatMap((message) =>
    message['type'] === 'control_response' ? [message['response'] as Record<string, unknown>] : [],
  );

describe('a permission question', () => {
  it('is answered under its own id, also where that is a number', async () => {
    const session = claudeSession();
    await session.start();
    void session.driver.prompt('Go.');
    session.receive({ ...asks('q', 'Bash', { command: 'ls' }), request_id: 7 });
    await setImmediate();
    expect(answersOf(session)).toMatchObject([{ request_id: 7, response: { behavior: 'allow' } }]);
  });

  it('is denied outside of a turn, without asking anybody', async () => {
    const session = claudeSession();
    await session.start();
    session.receive(asks('early', 'Bash', { command: 'ls' }));
    await setImmediate();
    expect(session.questions).toEqual([]);
    expect(answersOf(session)).toMatchObject([{ request_id: 'early', response: { behavior: 'deny' } }]);
  });

  it('is denied when its turn is over before a decision', async () => {
    const decided = Promise.withResolvers<PermissionAnswer>();
    const session = claudeSession(() => decided.promise);
    await session.start();
    const end = session.driver.prompt('Go.');
    session.receive(asks('q', 'Bash', { command: 'ls' }));
    session.receive(say('Never mind.'));
    session.receive(result());
    decided.resolve({ decision: 'allow' });
    await end;
    await setImmediate();
    expect(answersOf(session)).toMatchObject([{ request_id: 'q', response: { behavior: 'deny' } }]);
  });

  it('is bound to the tool and its whole input, which the permission gives back as it came', async () => {
    const session = claudeSession();
    await session.start();
    void session.driver.prompt('Go.');
    const input = { command: 'ls', description: 'look', run_in_background: false, tool: 'Read' };
    session.receive({
      ...asks('q', 'Bash', input),
      request: {
        ...(asks('q', 'Bash', input) as { request: object }).request,
        permission_suggestions: [{ type: 'addRules' }],
      },
    });
    await setImmediate();
    expect(session.questions).toEqual([
      {
        call: expect.objectContaining({ id: 'q', kind: 'shell', name: 'Bash', input }) as object,
        bound: { tool: 'Bash', input },
        command: { text: 'ls' },
        isExact: true,
      },
    ]);
    expect(answersOf(session)).toEqual([
      { subtype: 'success', request_id: 'q', response: { behavior: 'allow', updatedInput: input } },
    ]);
  });

  it.each([
    [
      'Write',
      { file_path: '/w/a', content: 'x' },
      { kind: 'edit', paths: [{ path: '/w/a', operation: 'write' }] },
    ],
    [
      'NotebookEdit',
      { notebook_path: '/w/n' },
      { kind: 'edit', paths: [{ path: '/w/n', operation: 'write' }] },
    ],
    ['Read', { file_path: 'a.txt' }, { kind: 'read', paths: [{ path: 'a.txt', operation: 'read' }] }],
    ['Grep', { pattern: 'x' }, { kind: 'read', paths: [{ path: '/work', operation: 'read' }] }],
    ['Glob', { pattern: '**/*.ts' }, { kind: 'read', paths: [{ path: '/work', operation: 'read' }] }],
    [
      'Glob',
      { pattern: '/etc/*' },
      {
        kind: 'read',
        paths: [
          { path: '/work', operation: 'read' },
          { path: '/etc', operation: 'read' },
        ],
      },
    ],
    [
      'Glob',
      { pattern: '../*/x', path: '/work/a' },
      {
        kind: 'read',
        paths: [
          { path: '/work/a', operation: 'read' },
          { path: '/work', operation: 'read' },
        ],
      },
    ],
    ['mcp__git_hub__make__it', { a: 1 }, { kind: 'mcp', mcp: { server: 'git_hub', tool: 'make__it' } }],
    ['TodoWrite', { todos: [] }, { kind: 'plan' }],
    ['WebFetch', { url: 'https://example.com' }, { kind: 'other' }],
  ])('names what a call of %s does: %j', async (name, input, { kind, ...named }) => {
    const session = claudeSession();
    await session.start();
    void session.driver.prompt('Go.');
    session.receive(asks('q', name, input));
    expect(session.questions).toEqual([
      {
        call: expect.objectContaining({ kind }) as object,
        bound: { tool: name, input },
        ...named,
        isExact: true,
      },
    ]);
  });

  it.each([
    ['Bash', {}],
    ['Bash', { command: ['ls'] }],
    ['Write', { content: 'x' }],
    ['Glob', { pattern: '*', path: 5 }],
  ])('is not exact where %s has the wrong arguments: %j', async (name, input) => {
    const session = claudeSession();
    await session.start();
    void session.driver.prompt('Go.');
    session.receive(asks('q', name, input));
    expect(session.questions).toMatchObject([{ isExact: false }]);
  });

  it.each([
    ['an input that is no object', asks('q', 'Bash', 'ls')],
    ['no tool', asks('q', '', {})],
  ])('with %s is denied without asking', async (_, message) => {
    const session = claudeSession();
    await session.start();
    void session.driver.prompt('Go.');
    session.receive(message);
    expect(session.questions).toEqual([]);
    expect(answersOf(session)).toMatchObject([{ request_id: 'q', response: { behavior: 'deny' } }]);
  });

  it('that cannot be decided is denied', async () => {
    const session = claudeSession(() => Promise.reject(new Error('the database is gone')));
    await session.start();
    void session.driver.prompt('Go.');
    session.receive(asks('q', 'Bash', { command: 'ls' }));
    await setImmediate();
    expect(answersOf(session)).toEqual([
      {
        subtype: 'success',
        request_id: 'q',
        response: { behavior: 'deny', message: 'This call could not be decided.' },
      },
    ]);
  });

  it('that Claude Code withdraws is not answered', async () => {
    const { promise, resolve } = Promise.withResolvers<PermissionAnswer>();
    const session = claudeSession(() => promise);
    await session.start();
    void session.driver.prompt('Go.');
    session.receive(asks('q', 'Bash', { command: 'ls' }));
    session.receive({ type: 'control_cancel_request', request_id: 'q' });
    resolve({ decision: 'allow' });
    await setImmediate();
    expect(answersOf(session)).toEqual([]);
  });

  it('is not answered with the decision on another one that had its id', async () => {
    const first = Promise.withResolvers<PermissionAnswer>();
    const answers = [first.promise, new Promise<PermissionAnswer>(() => undefined)];
    const session = claudeSession(
      (question) => answers.shift() ?? Promise.reject(new Error(question.call.id)),
    );
    await session.start();
    void session.driver.prompt('Go.');
    session.receive(asks('q', 'Bash', { command: 'ls' }));
    session.receive(asks('q', 'Bash', { command: 'rm -rf .' }));
    expect(session.questions).toHaveLength(1);
    session.receive({ type: 'control_cancel_request', request_id: 'q' });
    session.receive(asks('q', 'Bash', { command: 'rm -rf .' }));
    first.resolve({ decision: 'allow' });
    await setImmediate();
    expect(session.questions).toHaveLength(2);
    expect(answersOf(session)).toEqual([]);
  });

  it('of a kind that is not known is answered with an error, so that Claude Code does not wait', async () => {
    const session = claudeSession();
    await session.start();
    session.receive({ type: 'control_request', request_id: 'h', request: { subtype: 'hook_callback' } });
    expect(answersOf(session)).toMatchObject([{ subtype: 'error', request_id: 'h' }]);
  });

  it('that is denied fails the turn only if no answer comes after it', async () => {
    const deny = async (): Promise<PermissionAnswer> => ({ decision: 'deny', reason: 'Not here.' });
    const lines = [
      say('I will.'),
      use('c', 'Bash', { command: 'ls' }),
      asks('q', 'Bash', { command: 'ls' }, 'c'),
    ];
    const denied = claudeSession(deny);
    await denied.start();
    const end = denied.driver.prompt('Go.');
    for (const line of lines) denied.receive(line);
    await setImmediate();
    expect(answersOf(denied)).toMatchObject([{ response: { behavior: 'deny', message: 'Not here.' } }]);
    denied.receive(toolResult('c', 'Not here.', {}, { is_error: true }));
    denied.receive(result({ permission_denials: [{ tool_use_id: 'c' }] }));
    expect(await end).toMatchObject({ outcome: 'failed', failure: { class: 'policy_denied' } });
  });

  it('that Claude Code denies by itself counts too', async () => {
    const session = claudeSession();
    await session.start();
    const end = session.driver.prompt('Go.');
    session.receive(say('I will.'));
    session.receive(use('c', 'Bash', { command: 'ls' }));
    session.receive(toolResult('c', 'Denied.', {}, { is_error: true }));
    session.receive(result({ permission_denials: [{ tool_use_id: 'c' }] }));
    expect(await end).toMatchObject({ outcome: 'failed', failure: { class: 'policy_denied' } });
  });
});

describe('cancel', () => {
  it('answers open questions before it interrupts, and those that come later', async () => {
    const session = claudeSession(() => new Promise(() => undefined));
    await session.start();
    const end = session.driver.prompt('Go.');
    session.receive(asks('q1', 'Bash', { command: 'ls' }));
    session.driver.cancel();
    session.driver.cancel();
    session.receive(asks('q2', 'Bash', { command: 'ls' }));
    expect(session.sent.slice(2)).toMatchObject([
      { response: { request_id: 'q1', response: { behavior: 'deny', interrupt: true } } },
      { type: 'control_request', request: { subtype: 'interrupt' } },
      { response: { request_id: 'q2', response: { behavior: 'deny', interrupt: true } } },
    ]);
    expect(session.questions).toHaveLength(1);
    session.receive(
      result({ subtype: 'error_during_execution', is_error: true, terminal_reason: 'aborted_tools' }),
    );
    expect(await end).toEqual({ outcome: 'cancelled', text: '' });
  });

  it('keeps the text so far if the program ends first', async () => {
    const session = claudeSession();
    await session.start();
    const end = session.driver.prompt('Go.');
    session.receive(textDelta('half'));
    session.driver.cancel();
    session.driver.close({ code: null, signal: 'SIGTERM' }, '');
    expect(await end).toEqual({ outcome: 'cancelled', text: 'half' });
  });

  it('follows from an answer that cancels', async () => {
    const session = claudeSession(async () => ({ decision: 'cancelled' }));
    await session.start();
    void session.driver.prompt('Go.');
    session.receive(asks('q', 'Bash', { command: 'ls' }));
    await setImmediate();
    expect(session.sent.slice(2)).toMatchObject([
      { response: { response: { behavior: 'deny', interrupt: true } } },
      { request: { subtype: 'interrupt' } },
    ]);
  });

  it('does nothing where no turn runs', async () => {
    const session = claudeSession();
    await session.start();
    session.driver.cancel();
    expect(session.sent).toHaveLength(1);
  });
});
