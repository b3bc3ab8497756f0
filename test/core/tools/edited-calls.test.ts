import { describe, expect, it } from 'vitest';
import { editFileTool } from '../../../src/core/tools/files/edit-file.ts';
import { readFileTool } from '../../../src/core/tools/files/read-file.ts';
import { writeFileTool } from '../../../src/core/tools/files/write-file.ts';
import { pathTraversal } from '../../../src/core/tools/guards/path-traversal.ts';
import { shellInjectionGuard } from '../../../src/core/tools/guards/shell-injection.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { ann, bob, openGate, type OpenGate } from './gate-setup.ts';

const open = (tool: Tool = writeFileTool) =>
  openGate(tool, [pathTraversal, shellInjectionGuard], undefined, [readFileTool]);
const args = { path: 'a.txt', content: 'of the model\n' };
const edited = { path: 'b.txt', content: 'of the person\n' };
const status = async ({ approvals }: OpenGate, id: string) => (await approvals.get(ann, id)).status;

describe('a call that a person changes', () => {
  it('runs with their arguments and tells the model of it', async () => {
    await using gate = await open();
    const approvalId = await gate.ask({ args });
    const { approval } = await gate.editedCalls.allow(ann, approvalId, edited);
    expect(approval).toMatchObject({
      status: 'approved',
      decision: 'allow-once',
      params: args,
      editedParams: edited,
      diff: { path: 'b.txt', text: expect.stringContaining('+of the person') },
    });
    expect(await gate.call({ args, approvalId })).toMatchObject({
      kind: 'done',
      result: {
        success: true,
        content:
          'The user changed the arguments of this call: path is now "b.txt"; content is now "of the person\\n".\n' +
          'With these arguments:\nCreated b.txt, 14 bytes',
      },
      paths: [`${gate.tree.workspace}/b.txt`],
    });
    expect(await gate.tree.read('b.txt')).toBe('of the person\n');
    await expect(gate.tree.read('a.txt')).rejects.toThrow('ENOENT');
    expect(await gate.audited()).toEqual(['approved', 'intent', 'ok']);
    const [decided, intent] = await gate.rows();
    expect(JSON.parse(decided?.arguments ?? '')).toEqual({ approvalId, requested: args, edited });
    expect(JSON.parse(intent?.arguments ?? '')).toEqual(edited);
  });

  it('runs once, and never with the arguments of the model', async () => {
    await using gate = await open();
    const approvalId = await gate.ask({ args });
    await gate.editedCalls.allow(ann, approvalId, edited);
    const calls = await Promise.all(Array.from({ length: 20 }, () => gate.call({ args, approvalId })));
    expect(calls.filter(({ kind }) => kind === 'done')).toHaveLength(1);
    await expect(gate.tree.read('a.txt')).rejects.toThrow('ENOENT');
  });

  it('is previewed without a decision', async () => {
    await using gate = await open();
    await gate.tree.write('b.txt', 'old\n');
    const approvalId = await gate.ask({ args });
    const preview = await gate.editedCalls.preview(ann, approvalId, edited);
    expect(preview).not.toHaveProperty('alwaysCovers');
    expect(preview).toMatchObject({
      id: approvalId,
      status: 'pending',
      params: edited,
      diff: { path: 'b.txt', text: expect.stringContaining('-old\n+of the person') },
    });
    expect(await gate.approvals.get(ann, approvalId)).toMatchObject({ status: 'pending', params: args });
  });

  it('is asked for again with their arguments when the file changes before it runs', async () => {
    await using gate = await open();
    const approvalId = await gate.ask({ args });
    await gate.editedCalls.allow(ann, approvalId, edited);
    await gate.tree.write('b.txt', 'meanwhile\n');
    const again = await gate.ask({ args, approvalId });
    expect(await gate.approvals.get(ann, again)).toMatchObject({
      status: 'pending',
      params: edited,
      diff: { text: expect.stringContaining('-meanwhile') },
    });
    await gate.decide(again);
    expect(await gate.call({ args, approvalId: again })).toMatchObject({ result: { success: true } });
    expect(await gate.tree.read('b.txt')).toBe('of the person\n');
  });
});

describe('changed arguments that are refused leave the call pending', () => {
  const refusals: [string, Record<string, unknown>, string, ((gate: OpenGate) => unknown)?][] = [
    ['arguments that the schema rejects', { path: 'a.txt' }, 'The arguments are not valid'],
    [
      'a path with parents',
      { ...args, path: '../up.txt' },
      'has a parent-directory segment (guard path-traversal)',
    ],
    ['an absolute path elsewhere', { ...args, path: '/etc/x' }, 'leads out of the workspace'],
    [
      'a link that leads out',
      { ...args, path: 'link/x' },
      'leads out of the workspace',
      ({ tree }) => tree.link(tree.outside, 'link'),
    ],
    ['a git hook', { ...args, path: '.git/hooks/pre-commit' }, '.git folder'],
    [
      'a tool that is blocked since',
      edited,
      'The policy blocks write_file',
      ({ policy }) => policy.update({ blockedTools: ['write_*'] }, {}),
    ],
  ];
  it.each(refusals)('%s', async (_, wrong, reason, prepare) => {
    await using gate = await open();
    const approvalId = await gate.ask({ args });
    await prepare?.(gate);
    for (const send of ['allow', 'preview'] as const)
      await expect(gate.editedCalls[send](ann, approvalId, wrong)).rejects.toMatchObject({
        code: 'validation',
        message: expect.stringContaining(reason),
      });
    expect(await status(gate, approvalId)).toBe('pending');
  });

  it('an edit that would fail', async () => {
    await using gate = await open(editFileTool);
    await gate.tree.write('a.txt', 'one\n');
    const approvalId = await gate.ask({ args: { path: 'a.txt', oldText: 'one', newText: '1' } });
    const wrong = { path: 'a.txt', oldText: 'two', newText: '2' };
    await expect(gate.editedCalls.allow(ann, approvalId, wrong)).rejects.toMatchObject({
      code: 'validation',
      message: expect.stringContaining('oldText is not in a.txt'),
    });
    expect(await status(gate, approvalId)).toBe('pending');
  });

  it('a value that is still masked', async () => {
    await using gate = await open();
    const content = 'token=9f8e7d6c5b4a3f2e\n';
    const approvalId = await gate.ask({ args: { path: 'a.txt', content } });
    const { params } = await gate.approvals.get(ann, approvalId);
    await expect(gate.editedCalls.allow(ann, approvalId, { ...params, path: 'b.txt' })).rejects.toMatchObject(
      {
        code: 'validation',
        message: expect.stringContaining('still masked'),
      },
    );
    await gate.editedCalls.allow(ann, approvalId, { path: 'b.txt', content });
    const answer = await gate.call({ args: { path: 'a.txt', content }, approvalId });
    expect(await gate.tree.read('b.txt')).toBe(content);
    for (const text of [JSON.stringify(answer), JSON.stringify(await gate.approvals.get(ann, approvalId))])
      expect(text).not.toContain('9f8e7d6c');
  });

  it('a mark that stands in a call without secrets is a text like any other', async () => {
    await using gate = await open();
    const approvalId = await gate.ask({ args });
    await gate.editedCalls.allow(ann, approvalId, { ...args, content: '••••(3 characters)\n' });
    expect(await status(gate, approvalId)).toBe('approved');
  });
});

describe('the gate reviews a changed call again when it runs', () => {
  it.each<[string, (gate: OpenGate) => Promise<unknown>, string]>([
    ['a mode that denies', async () => undefined, 'The mode is deny'],
    [
      'a tool that was blocked since',
      ({ policy }) => policy.update({ blockedTools: ['write_file'] }, {}),
      'The policy blocks write_file',
    ],
    [
      'a path that became a link',
      ({ tree }) => tree.link(`${tree.outside}/secret.txt`, 'b.txt'),
      'leads out of the workspace',
    ],
  ])('%s', async (name, change, reason) => {
    await using gate = await open();
    const approvalId = await gate.ask({ args });
    await gate.editedCalls.allow(ann, approvalId, edited);
    await change(gate);
    const run = name.startsWith('a mode') ? gate.runOf({ mode: 'deny' }) : gate.runOf();
    expect(await gate.call({ args, approvalId }, run)).toMatchObject({
      kind: 'done',
      result: { success: false, content: expect.stringContaining(reason) },
    });
  });

  it('an approval of another conversation or tool gives no arguments', async () => {
    await using gate = await open();
    const approvalId = await gate.ask({ args });
    await gate.editedCalls.allow(ann, approvalId, edited);
    const elsewhere = await gate.ask({ args, approvalId }, gate.runOf({ conversationId: 'conv_2' }));
    expect(await gate.approvals.get(ann, elsewhere)).toMatchObject({ params: args });
  });
});

describe('who may change a call', () => {
  it('is its owner, while it waits, without an API token', async () => {
    await using gate = await open();
    const approvalId = await gate.ask({ args });
    const token = { id: 'tok_1', scopes: ['agents:command'] as const };
    for (const [caller, code] of [
      [bob, 'not_found'],
      [{ ...ann, token }, 'forbidden'],
    ] as const) {
      await expect(gate.editedCalls.preview(caller, approvalId, edited)).rejects.toMatchObject({ code });
      await expect(gate.editedCalls.allow(caller, approvalId, edited)).rejects.toMatchObject({ code });
    }
    await gate.decide(approvalId, 'deny');
    await expect(gate.editedCalls.allow(ann, approvalId, edited)).rejects.toMatchObject({
      code: 'wrong_state',
      message: 'The approval is already denied',
    });
  });

  it('cannot change a call that an earlier version asked for', async () => {
    await using gate = await open();
    const approvalId = await gate.ask({ args });
    await gate.database.write(({ db }) =>
      db.updateTable('approvals').set({ context: null }).where('id', '=', approvalId).execute(),
    );
    await expect(gate.editedCalls.allow(ann, approvalId, edited)).rejects.toMatchObject({
      message: expect.stringContaining('An earlier version of svc asked'),
    });
  });
});
