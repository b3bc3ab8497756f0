import { describe, expect, it } from 'vitest';
import { openGate } from './gate-setup.ts';

const many = (count: number) => Array.from({ length: count }, (_, at) => at);

describe('approvals that wait', () => {
  it('are at most 50 for a run, and the model hears why', async () => {
    await using open = await openGate();
    const answers = await Promise.all(many(60).map((a) => open.call({ args: { a } })));
    expect(answers.filter(({ kind }) => kind === 'waiting')).toHaveLength(50);
    const refused = answers.flatMap((answer) => (answer.kind === 'done' ? answer.result.content : []));
    expect(new Set(refused)).toEqual(
      new Set(['50 calls of this run wait for an approval already. Wait for decisions before you make more']),
    );
    // The same call joins the approval that waits, and another run has room of its own.
    const [first] = answers;
    expect(await open.call({ args: { a: 0 } })).toMatchObject({ kind: first?.kind });
    expect(await open.call({ args: { a: 99 } }, { ...open.runOf(), id: 'run_2' })).toMatchObject({
      kind: 'waiting',
    });
  });

  it('make room once they are decided', async () => {
    await using open = await openGate();
    const [first = ''] = await Promise.all(many(50).map((a) => open.ask({ args: { a } })));
    expect(await open.call({ args: { a: 50 } })).toMatchObject({ kind: 'done', result: { success: false } });
    await open.decide(first, 'deny');
    expect(await open.call({ args: { a: 50 } })).toMatchObject({ kind: 'waiting' });
  });

  it('are at most 500 for a user', async () => {
    await using open = await openGate();
    const runOf = (run: number) => ({ ...open.runOf({ conversationId: `conv_${run}` }), id: `run_${run}` });
    for (const run of many(10)) await Promise.all(many(50).map((a) => open.ask({ args: { a } }, runOf(run))));
    expect(await open.call({}, runOf(10))).toMatchObject({
      kind: 'done',
      result: { success: false, content: expect.stringContaining('500 calls for this user wait') },
    });
    const bobs = { ...runOf(11), context: { ...runOf(11).context, userId: 'user_bob' } };
    expect(await open.call({}, bobs)).toMatchObject({ kind: 'waiting' });
  });
});
