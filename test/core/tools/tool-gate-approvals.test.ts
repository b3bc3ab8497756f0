import { describe, expect, it } from 'vitest';
import type { ToolAccess } from '../../../src/core/tools/tool.ts';
import { ann, bob, openGate, type OpenGate } from './gate-setup.ts';

const MINUTE = 60_000;
const later = ({ clock }: OpenGate, ms: number) => (clock.now = new Date(clock.now.getTime() + ms));
const done = { kind: 'done', result: { success: true, content: 'done' }, paths: [] };
const needsPerson: ToolAccess = { needsPerson: 'It runs other programs' };

describe('a call that needs an approval', () => {
  it('runs a call exactly once after it is approved', async () => {
    await using open = await openGate();
    const approvalId = await open.ask({ args: { a: 1 } });
    expect(open.ran()).toBe(0);
    // Without a decision, the call still waits for the same approval.
    expect(await open.ask({ args: { a: 1 }, approvalId })).toBe(approvalId);
    await open.decide(approvalId);
    expect(await open.call({ args: { a: 1 }, approvalId })).toEqual(done);
    expect(open.ran()).toBe(1);
    const again = await open.ask({ args: { a: 1 }, approvalId });
    expect(again).not.toBe(approvalId);
    expect(open.ran()).toBe(1);
    expect(await open.audited()).toEqual(['approved', 'intent', 'ok']);
    expect(await open.rows()).toMatchObject([{}, { approved: 1, decision: 'allow-once' }, {}]);
  });

  it('refuses a call that is denied, or for which no approval can be requested', async () => {
    await using open = await openGate();
    const approvalId = await open.ask();
    await open.decide(approvalId, 'deny');
    expect(await open.call({ approvalId })).toMatchObject({
      result: { content: 'A person denied this call' },
    });
    expect(await open.call({}, open.runOf({}, false))).toMatchObject({
      result: { success: false, content: expect.stringContaining('no approval can be requested here') },
    });
    expect(open.ran()).toBe(0);
  });

  it('runs a call once despite concurrent calls and decisions', async () => {
    await using open = await openGate();
    const approvalId = await open.ask();
    const decisions = await Promise.allSettled(
      Array.from({ length: 1000 }, (_, at) =>
        open.decide(approvalId, at % 2 === 0 ? 'allow-once' : 'allow-always'),
      ),
    );
    expect(decisions.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    // One decision won, on PostgreSQL whichever, and the others had no effect.
    const isOnce = decisions.findIndex(({ status }) => status === 'fulfilled') % 2 === 0;
    const calls = await Promise.all(Array.from({ length: 100 }, () => open.call({ approvalId })));
    const runs = isOnce ? 1 : 100;
    expect(calls.filter(({ kind }) => kind === 'done')).toEqual(Array.from({ length: runs }, () => done));
    expect(open.ran()).toBe(runs);
  });
});

describe('an approval', () => {
  const changes: Record<string, (open: OpenGate) => unknown> = {
    'a changed real path': async ({ tree }) => {
      await tree.write('second.txt');
      const { rm } = await import('node:fs/promises');
      await rm(`${tree.workspace}/link`);
      await tree.link('second.txt', 'link');
    },
    'a changed command': ({ behaviour, tree }) =>
      (behaviour.access = { ...behaviour.access, command: { argv: ['rm', 'x'], cwd: tree.workspace } }),
    'a changed directory': ({ behaviour, tree }) =>
      (behaviour.access = { ...behaviour.access, command: { argv: ['ls'], cwd: `${tree.workspace}/sub` } }),
    'a changed environment': ({ behaviour }) => (behaviour.access.environment = 'no sandbox'),
    'another reason': ({ behaviour }) => (behaviour.access.needsPerson = 'It runs other programs'),
    'another policy': ({ policy }) => policy.update({ allowedTools: ['grep'] }, {}),
    'other guards': ({ policy }) => policy.setGuard('shell-injection', false, {}),
  };
  it.each(Object.keys(changes))('rejects an approval for a call with %s', async (name) => {
    await using open = await openGate();
    const { tree, behaviour } = open;
    await tree.write('first.txt');
    await tree.link('first.txt', 'link');
    behaviour.access = {
      paths: [{ path: 'link', operation: 'read' }],
      command: { argv: ['ls'], cwd: tree.workspace },
      environment: 'sandbox',
    };
    const approvalId = await open.ask();
    await open.decide(approvalId);
    await changes[name]?.(open);
    expect(await open.ask({ approvalId })).not.toBe(approvalId);
    expect(open.ran()).toBe(0);
  });

  it.each([
    ['an additional argument', { a: 1, b: 2 }],
    ['a missing argument', {}],
    ['another value', { a: 2 }],
    ['a value of another kind', { a: '1' }],
  ])('rejects an approval for a call with %s', async (_, args) => {
    await using open = await openGate();
    const approvalId = await open.ask({ args: { a: 1 } });
    await open.decide(approvalId);
    expect(await open.ask({ args, approvalId })).not.toBe(approvalId);
    expect(open.ran()).toBe(0);
  });

  it('rejects an approval for another conversation, task or workspace', async () => {
    await using open = await openGate();
    const approvalId = await open.ask();
    await open.decide(approvalId);
    const elsewhere = [
      { conversationId: 'conv_2' },
      { conversationId: undefined, taskId: 'task_1' },
      { workspace: open.tree.outside },
    ];
    for (const context of elsewhere)
      expect(await open.ask({ approvalId }, open.runOf(context))).not.toBe(approvalId);
    expect(open.ran()).toBe(0);
    expect(await open.call({ approvalId })).toEqual(done);
  });

  it('accepts an approval for the same arguments in another order', async () => {
    await using open = await openGate();
    const approvalId = await open.ask({ args: { a: 1, b: { c: 2, d: 3 } } });
    await open.decide(approvalId);
    expect(await open.call({ args: { b: { d: 3, c: 2 }, a: 1 }, approvalId })).toEqual(done);
  });
});

describe('the expiry of an approval', () => {
  it('expires an approval after ten minutes without a decision', async () => {
    await using open = await openGate();
    const approvalId = await open.ask();
    later(open, 10 * MINUTE);
    await expect(open.decide(approvalId)).rejects.toMatchObject({ message: 'The approval has expired' });
    expect(await open.call({ approvalId })).toMatchObject({
      result: { success: false, content: 'The approval request expired without a decision' },
    });
    expect(open.ran()).toBe(0);
  });

  it('expires an unused approval after ten minutes', async () => {
    await using open = await openGate();
    const approvalId = await open.ask();
    later(open, 9 * MINUTE);
    await open.decide(approvalId);
    later(open, MINUTE);
    expect(await open.ask({ approvalId })).not.toBe(approvalId);
    expect(open.ran()).toBe(0);
  });

  it('accepts an approval just before ten minutes', async () => {
    await using open = await openGate();
    const approvalId = await open.ask();
    later(open, 10 * MINUTE - 1);
    await open.decide(approvalId);
    expect(await open.call({ approvalId })).toEqual(done);
  });

  it('expires an approval of a task after a day', async () => {
    await using open = await openGate();
    const run = open.runOf({ conversationId: undefined, taskId: 'task_1' });
    const approvalId = await open.ask({}, run);
    later(open, 24 * 60 * MINUTE - 1);
    await open.decide(approvalId);
    const late = await open.ask({ args: { late: true } }, run);
    later(open, 24 * 60 * MINUTE);
    await expect(open.decide(late)).rejects.toMatchObject({ message: 'The approval has expired' });
  });

  it('expires every approval after the time of the setting, which holds for new ones at once', async () => {
    await using open = await openGate();
    const before = await open.ask({ args: { before: true } });
    open.clock.expireAfterMs = MINUTE;
    const runs = [open.runOf(), open.runOf({ conversationId: undefined, taskId: 'task_1' })];
    const ids = await Promise.all(runs.map((run) => open.ask({}, run)));
    later(open, MINUTE);
    for (const id of ids) await expect(open.decide(id)).rejects.toMatchObject({ code: 'wrong_state' });
    await open.decide(before);
  });

  it('expires an approval with the run that requested it', async () => {
    await using open = await openGate();
    const approvalId = await open.ask();
    await open.approvals.expireForRun('run_1');
    await expect(open.decide(approvalId)).rejects.toMatchObject({ code: 'wrong_state' });
    expect(await open.call({ approvalId })).toMatchObject({ result: { success: false } });
  });
});

describe('a decision', () => {
  it('lets the owner and administrators decide, but no API token', async () => {
    await using open = await openGate();
    const approvalId = await open.ask();
    await expect(open.decide(approvalId, 'allow-once', bob)).rejects.toMatchObject({ code: 'not_found' });
    const token = { id: 'tok_1', scopes: ['agents:command'] as const };
    for (const caller of [ann, { ...ann, role: 'admin' as const }])
      await expect(open.decide(approvalId, 'allow-once', { ...caller, token })).rejects.toMatchObject({
        code: 'forbidden',
      });
    await expect(
      open.approvals.decide(ann, approvalId, 'allow-once', { conversationId: 'conv_2' }),
    ).rejects.toMatchObject({
      code: 'not_found',
    });
    expect(await open.ask({ approvalId })).toBe(approvalId);
    await open.decide(approvalId, 'allow-once', { ...bob, role: 'admin' });
    expect(await open.call({ approvalId })).toEqual(done);
  });
});

describe('allow-always', () => {
  async function openAlwaysAllowed() {
    const open = await openGate();
    const approvalId = await open.ask();
    await open.approvals.decide(ann, approvalId, 'allow-always', { covers: 'tool' });
    await open.call({ approvalId });
    return open;
  }

  it('applies allow-always to the whole tool, where a person picked that, in this conversation only', async () => {
    await using open = await openAlwaysAllowed();
    // The first call used the approval, the next needs none.
    expect((await open.rows()).map(({ decision }) => decision)).toEqual([
      'allow-always',
      'allow-always',
      'allow-always',
    ]);
    expect(await open.call({ args: { other: true } })).toEqual(done);
    await open.ask({}, open.runOf({ conversationId: 'conv_2' }));
    await open.ask({}, open.runOf({ conversationId: undefined, taskId: 'conv_3' }));
  });

  it('does not apply allow-always to an earlier call that was denied or expired', async () => {
    await using open = await openGate();
    const denied = await open.ask({ args: { a: 1 } });
    const late = await open.ask({ args: { a: 2 } });
    await open.decide(denied, 'deny');
    later(open, 10 * MINUTE);
    await open.approvals.expire();
    await open.decide(await open.ask({ args: { a: 3 } }), 'allow-always');
    for (const [a, approvalId] of [denied, late].entries())
      expect(await open.call({ args: { a: a + 1 }, approvalId })).toMatchObject({
        result: { success: false },
      });
    expect(open.ran()).toBe(0);
  });

  it('does not apply allow-always to calls that always need an approval', async () => {
    await using open = await openAlwaysAllowed();
    open.behaviour.access = needsPerson;
    await open.ask();
    const run = (mode: 'allowlist' | 'full') => open.call({}, open.runOf({ mode }));
    for (const mode of ['allowlist', 'full'] as const)
      expect(await run(mode)).toMatchObject({
        result: { success: false, content: expect.stringContaining('It runs other programs') },
      });
    expect(open.ran()).toBe(1);
  });

  it('does not let allow-always override the approvals and blocks of the policy', async () => {
    await using open = await openAlwaysAllowed();
    await open.policy.update({ requireApprovalFor: ['test_tool'] }, {});
    await open.ask();
    await open.ask({}, open.runOf({ mode: 'allowlist' }));
    await open.policy.update({ blockedTools: ['test_tool'] }, {});
    expect(await open.call()).toMatchObject({ result: { content: 'The policy blocks test_tool' } });
  });

  it('does not let allow-always override the modes or the limits on untrusted input', async () => {
    await using open = await openAlwaysAllowed();
    for (const mode of ['deny', 'sandbox'] as const)
      expect(await open.call({}, open.runOf({ mode }))).toMatchObject({ result: { success: false } });
    expect(await open.call({}, open.runOf({ isTrusted: false }))).toMatchObject({
      result: { success: false },
    });
    expect(open.ran()).toBe(1);
  });
});

it('tells the model why a person denied its call', async () => {
  await using open = await openGate();
  const approvalId = await open.ask();
  await open.approvals.decide(ann, approvalId, 'deny', { denialReason: 'Change the generator instead' });
  expect(await open.call({ approvalId })).toMatchObject({
    result: {
      success: false,
      content: 'A person denied this call and says: Change the generator instead',
    },
  });
});
