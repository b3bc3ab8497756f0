import { describe, expect, it } from 'vitest';
import type { Approval } from '../../../src/contract/approvals.ts';
import { writeFileTool } from '../../../src/core/tools/files/write-file.ts';
import { ann, openGate, type OpenGate } from './gate-setup.ts';

const write = (path: string) => ({ args: { path, content: 'x\n' } });
const statuses = async ({ approvals }: OpenGate, ...ids: string[]) =>
  Promise.all(ids.map(async (id) => (await approvals.get(ann, id)).status));
const always = (gate: OpenGate, id: string, covers: 'kind' | 'tool' = 'kind') =>
  gate.approvals.decide(ann, id, 'allow-always', { covers });

describe('allow-always also decides what waits', () => {
  it('where the kind of call is the same, with an entry and an event for each', async () => {
    await using gate = await openGate(writeFileTool);
    const events: Approval[] = [];
    gate.bus.on('approval', ({ approval }) => void events.push(approval));
    const [first, second, other] = [
      await gate.ask(write('src/a.txt')),
      await gate.ask(write('src/b.txt')),
      await gate.ask(write('lib/c.txt')),
    ];
    events.length = 0;
    expect(await always(gate, first)).toMatchObject({ alsoAllowed: [second] });
    expect(await statuses(gate, first, second, other)).toEqual(['approved', 'approved', 'pending']);
    expect(await gate.approvals.get(ann, second)).toMatchObject({
      decision: 'allow-always',
      decidedBy: ann.userId,
    });
    expect(events.map(({ id, status }) => [id, status])).toEqual([
      [first, 'approved'],
      [second, 'approved'],
    ]);
    const entries = await gate.rows();
    expect(entries.map(({ decision, user_id }) => [decision, user_id])).toEqual([
      ['allow-always', ann.userId],
      ['allow-always', ann.userId],
    ]);
    expect(JSON.parse(entries[1]?.arguments ?? '')).toEqual({ approvalId: second, coveredBy: first });
    expect(await gate.call({ ...write('src/b.txt'), approvalId: second })).toMatchObject({
      result: { success: true },
    });
  });

  it('where the whole tool is allowed', async () => {
    await using gate = await openGate(writeFileTool);
    const [first, second] = [await gate.ask(write('src/a.txt')), await gate.ask(write('lib/c.txt'))];
    expect(await always(gate, first, 'tool')).toMatchObject({ alsoAllowed: [second] });
  });

  it('but not in another conversation, and not after a single permission', async () => {
    await using gate = await openGate(writeFileTool);
    const [first, second] = [await gate.ask(write('src/a.txt')), await gate.ask(write('src/b.txt'))];
    const elsewhere = await gate.ask(write('src/b.txt'), gate.runOf({ conversationId: 'conv_2' }));
    expect(await gate.approvals.decide(ann, first, 'allow-once')).not.toHaveProperty('alsoAllowed');
    await always(gate, second);
    expect(await statuses(gate, elsewhere)).toEqual(['pending']);
  });

  it.each<[string, (gate: OpenGate) => Promise<unknown>]>([
    [
      'needs a person each time',
      async ({ behaviour }) => (behaviour.access = { needsPerson: 'It runs others' }),
    ],
    [
      'the policy asks for each time',
      ({ policy }) => policy.update({ requireApprovalFor: ['test_tool'] }, {}),
    ],
    [
      'carries a warning',
      async ({ behaviour, tree }) => {
        await tree.write('.git/HEAD', 'ref: refs/heads/main');
        behaviour.access = { paths: [{ path: '.vscode/tasks.json', operation: 'write' }] };
      },
    ],
  ])('but never one that %s', async (_, prepare) => {
    await using gate = await openGate();
    const first = await gate.ask({ args: { a: 1 } });
    await prepare(gate);
    const second = await gate.ask({ args: { a: 2 } });
    expect(await always(gate, first, 'tool')).not.toHaveProperty('alsoAllowed');
    expect(await statuses(gate, second)).toEqual(['pending']);
  });
});
