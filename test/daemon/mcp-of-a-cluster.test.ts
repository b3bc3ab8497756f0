import { expect, it, vi } from 'vitest';
import { newApproval } from '../helpers/approvals.ts';
import { describeCluster, startCluster } from '../helpers/cluster.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { framing, modernMeta, postMcp, streamMcp } from '../helpers/mcp-http.ts';
import { heldAdapter, testAdapter } from '../helpers/tasks.ts';

/** A request that may reach either daemon, as behind one address. */
const call = (id: number, name: string, args: object, meta: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: meta },
});
const contentIn = (answer: Awaited<ReturnType<typeof postMcp>>) =>
  answer.message?.result?.['structuredContent'] as { id: string; status: string; finished: boolean };

/** The ids of the questions on a stream. */
const questionsIn = (text: string) => text.match(/svc-ask\.[^"]+(?=")/g) ?? [];

/** A person at a client of an older revision, whose sessions are those of the cluster. */
async function signIn(daemon: TestDaemon) {
  const { token } = await daemon.app.sessions.create({ userId: 'user_owner', kind: 'sign-in' });
  const credential = { authorization: `Bearer ${token}` };
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: { elicitation: {} },
    clientInfo: framing.clientInfo,
  };
  const { headers } = await postMcp(daemon, { id: 0, method: 'initialize', params }, { credential });
  return { credential, more: { 'mcp-session-id': headers.get('mcp-session-id') ?? '' } };
}

describeCluster('a client of the Model Context Protocol at two daemons', () => {
  it('begins on one and continues at the other, in either revision', async () => {
    const gate = Promise.withResolvers<void>();
    await using cluster = await startCluster(2, () => ({
      extraAdapters: [testAdapter(() => gate.promise.then(() => ({ output: 'of the cluster' })))],
    }));
    const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
    const { credential, more } = await signIn(a);
    const task = { prompt: 'Do it', assignedAgent: 'test' };
    const made = contentIn(await postMcp(a, call(1, 'create_task', task), { credential, more }));
    const handle = await postMcp(b, call(2, 'wait_for_task', { id: made.id }, modernMeta), { credential });
    expect(handle.message?.result).toMatchObject({ resultType: 'task', taskId: made.id });
    const waiting = postMcp(b, call(3, 'wait_for_task', { id: made.id, timeoutSeconds: 300 }), {
      credential,
      more,
    });
    gate.resolve();
    expect(contentIn(await waiting)).toMatchObject({ id: made.id, status: 'completed', finished: true });
    const polled = await postMcp(
      a,
      { id: 4, method: 'tasks/get', params: { taskId: made.id, _meta: modernMeta } },
      { credential },
    );
    expect(polled.message?.result).toMatchObject({
      status: 'completed',
      result: { structuredContent: { result: { output: 'of the cluster' } } },
    });
  }, 180_000);

  it('stops waiting at one where it cancels the call at the other', async () => {
    const held = heldAdapter();
    await using cluster = await startCluster(2, () => ({ extraAdapters: [held.adapter] }));
    const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
    const { credential, more } = await signIn(a);
    const { id } = contentIn(
      await postMcp(a, call(1, 'create_task', { prompt: 'Do it', assignedAgent: 'test' }), {
        credential,
        more,
      }),
    );
    const waiting = streamMcp(
      b,
      call(2, 'wait_for_task', { id, timeoutSeconds: 300 }, { progressToken: 2 }),
      { ...credential, ...more },
    );
    await waiting.progress;
    const cancelled = { method: 'notifications/cancelled', params: { requestId: 2 } };
    expect((await postMcp(a, cancelled, { credential, more })).status).toBe(202);
    expect(await waiting.ended).not.toContain('"id":2');
    const { task } = await a.client.tasks.get({ params: { id } });
    expect(task.status).not.toBe('cancelled');
    (await held.started(0)).succeed();
  }, 180_000);

  it('asks its user at one about a call of the task, and takes the answer at the other', async () => {
    const held = heldAdapter();
    await using cluster = await startCluster(2, () => ({ extraAdapters: [held.adapter] }));
    const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
    const { credential, more } = await signIn(a);
    const { id } = contentIn(
      await postMcp(a, call(1, 'create_task', { prompt: 'Do it', assignedAgent: 'test' }), {
        credential,
        more,
      }),
    );
    const run = await held.started(0);
    const ask = (binding: string) =>
      a.app.approvals.request(newApproval({ task_id: id, scope_id: id, binding }));
    const first = await ask('first');
    const waiting = streamMcp(
      b,
      call(2, 'wait_for_task', { id, timeoutSeconds: 300 }),
      { ...credential, ...more },
      'svc-ask.',
    );
    await waiting.progress;
    const [question] = questionsIn(waiting.soFar());
    const declined = await postMcp(a, { id: question, result: { action: 'decline' } }, { credential, more });
    expect(declined.status).toBe(202);
    const second = await ask('second');
    await vi.waitFor(() => expect(waiting.soFar()).toContain(`svc-ask.${second.id}`), 20_000);
    const next = questionsIn(waiting.soFar()).at(-1);
    const result = { action: 'accept', content: { decision: 'allow-once' } };
    expect((await postMcp(a, { id: next, result }, { credential, more })).status).toBe(202);
    run.succeed('asked');
    expect(await waiting.ended).toContain('"completed"');
    const owner = { userId: 'user_owner', role: 'admin' as const };
    const decided = await Promise.all([first, second].map((each) => b.app.approvals.get(owner, each.id)));
    expect(decided.map(({ status }) => status)).toEqual(['pending', 'approved']);
  }, 180_000);
});
