import { describe, expect, it } from 'vitest';
import { editFileTool } from '../../../src/core/tools/files/edit-file.ts';
import { readFileTool } from '../../../src/core/tools/files/read-file.ts';
import { writeFileTool } from '../../../src/core/tools/files/write-file.ts';
import type { Tool } from '../../../src/core/tools/tool.ts';
import { pathTraversal } from '../../../src/core/tools/guards/path-traversal.ts';
import { ann, openGate, type OpenGate } from './gate-setup.ts';
import { canary } from './test-tree.ts';

const open = (tool: Tool) => openGate(tool, [pathTraversal], undefined, [readFileTool]);
const shown = async ({ approvals }: OpenGate, id: string) => (await approvals.get(ann, id)).diff;
const edit = (oldText: string, newText: string) => ({ path: 'a.txt', oldText, newText });
const secret = 'DB_PASSWORD=Xk29fLq81mZp\nAPI_TOKEN=9f8e7d6c5b4a3f2e1d0c\n';

describe('what a call would change', () => {
  it('is shown of an edit with its place in the file', async () => {
    await using gate = await open(editFileTool);
    await gate.tree.write('a.txt', 'one\ntwo\nthree\n');
    const id = await gate.ask({ args: edit('two', '2') });
    expect(await shown(gate, id)).toEqual({
      path: 'a.txt',
      added: 1,
      removed: 1,
      text: '--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    });
  });

  it('is shown of a file that is written, against the old one or against nothing', async () => {
    await using gate = await open(writeFileTool);
    await gate.tree.write('a.txt', 'one\ntwo\n');
    const old = await gate.ask({ args: { path: 'a.txt', content: 'one\n' } });
    expect((await shown(gate, old))?.text).toContain('@@ -1,2 +1,1 @@\n one\n-two\n');
    const fresh = await gate.ask({ args: { path: 'new/b.txt', content: 'x\n' } });
    expect(await shown(gate, fresh)).toMatchObject({ created: true, added: 1 });
  });

  it('is not shown of a binary or a large file, which says so', async () => {
    await using gate = await open(writeFileTool);
    await gate.tree.write('a.bin', 'a\0b');
    await gate.tree.write('large.txt', 'x'.repeat(10_000_001));
    const [binary, large] = [
      await gate.ask({ args: { path: 'a.bin', content: 'text' } }),
      await gate.ask({ args: { path: 'large.txt', content: 'text' } }),
    ];
    expect((await shown(gate, binary))?.unavailable).toBe('a.bin is a binary file; only text can be read');
    expect((await shown(gate, large))?.unavailable).toContain('large.txt is too large');
    // The state of the file counts all the same.
    await gate.tree.write('a.bin', 'a\0c');
    await gate.decide(binary);
    expect(await gate.ask({ args: { path: 'a.bin', content: 'text' }, approvalId: binary })).not.toBe(binary);
  });

  it('shows nothing of a file that contains credentials, not even whether a text is in it', async () => {
    await using gate = await open(editFileTool);
    await gate.tree.write('config.yaml', secret);
    for (const oldText of ['Xk29fLq81mZp', 'not in it']) {
      const id = await gate.ask({ args: { path: 'config.yaml', oldText, newText: 'x' } });
      expect(await shown(gate, id)).toEqual({
        path: 'config.yaml',
        text: '',
        added: 0,
        removed: 0,
        unavailable: 'config.yaml contains credentials, so its content is not shown',
      });
    }
  });

  it('reads no file that a guard keeps from the call', async () => {
    await using gate = await open(editFileTool);
    await gate.tree.link(`${gate.tree.outside}/secret.txt`, 'a.txt');
    const answer = await gate.call({ args: edit(canary, 'x') });
    expect(answer).toMatchObject({ kind: 'done', result: { success: false } });
    expect(JSON.stringify(answer)).toContain('leads out of the workspace');
  });
});

describe('an edit that cannot succeed', () => {
  it('fails before a person is asked', async () => {
    await using gate = await open(editFileTool);
    await gate.tree.write('a.txt', 'one\n');
    expect(await gate.call({ args: edit('two', '2') })).toMatchObject({
      kind: 'done',
      result: { success: false, content: expect.stringContaining('oldText is not in a.txt') },
    });
  });

  it('is asked for where the model may not read files, so that it learns nothing', async () => {
    await using gate = await open(editFileTool);
    await gate.tree.write('a.txt', 'one\n');
    await gate.policy.update({ requireApprovalFor: ['read_file'] }, {});
    const id = await gate.ask({ args: edit('two', '2') });
    expect((await shown(gate, id))?.unavailable).toContain('The call would fail: oldText is not in a.txt');
  });
});

describe('a file that changes', () => {
  it.each([
    ['edit_file', editFileTool, edit('two', '2')],
    ['write_file', writeFileTool, { path: 'a.txt', content: 'new\n' }],
  ] as const)('after %s was allowed is asked for again, with the new change', async (_, tool, args) => {
    await using gate = await open(tool);
    await gate.tree.write('a.txt', 'one\ntwo\n');
    const approvalId = await gate.ask({ args });
    await gate.decide(approvalId);
    await gate.tree.write('a.txt', 'zero\ntwo\n');
    const again = await gate.ask({ args, approvalId });
    expect(again).not.toBe(approvalId);
    const approval = await gate.approvals.get(ann, again);
    expect(approval.diff?.text).toContain('zero');
    expect(approval.reason).toMatch(/^The file has changed since the call was allowed\. /);
    expect(await gate.tree.read('a.txt')).toBe('zero\ntwo\n');
    await gate.decide(again);
    expect(await gate.call({ args, approvalId: again })).toMatchObject({ result: { success: true } });
  });

  it('between the last check and the call makes the call fail', async () => {
    let meanwhile = async () => {};
    const late: Tool = {
      ...editFileTool,
      async plan(args, context) {
        const plan = await editFileTool.plan(args, context);
        const run: typeof plan.run = async (scope) => {
          await meanwhile();
          return plan.run(scope);
        };
        return { ...plan, run };
      },
    };
    await using gate = await open(late);
    await gate.tree.write('a.txt', 'one\ntwo\n');
    const args = edit('two', '2');
    const approvalId = await gate.ask({ args });
    await gate.decide(approvalId);
    meanwhile = async () => void (await gate.tree.write('a.txt', 'zero\ntwo\n'));
    expect(await gate.call({ args, approvalId })).toMatchObject({
      result: { success: false, content: expect.stringContaining('has changed since the call was allowed') },
    });
    expect(await gate.tree.read('a.txt')).toBe('zero\ntwo\n');
  });

  it('that was new must still not exist', async () => {
    await using gate = await open(writeFileTool);
    const args = { path: 'a.txt', content: 'new\n' };
    const approvalId = await gate.ask({ args });
    await gate.decide(approvalId);
    await gate.tree.write('a.txt', 'there is one\n');
    expect(await gate.ask({ args, approvalId })).not.toBe(approvalId);
  });
});
