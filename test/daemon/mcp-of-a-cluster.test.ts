import { expect, it } from 'vitest';
import { describeCluster, startCluster } from '../helpers/cluster.ts';
import type { TestDaemon } from '../helpers/daemon.ts';
import { framing, modernMeta, postMcp } from '../helpers/mcp-http.ts';
import { testAdapter } from '../helpers/tasks.ts';

/** A request that may reach either daemon, as behind one address. */
const call = (id: number, name: string, args: object, meta: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args, _meta: meta },
});
const contentIn = (answer: Awaited<ReturnType<typeof postMcp>>) =>
  answer.message?.result?.['structuredContent'] as { id: string; status: string; finished: boolean };

describeCluster('a client of the Model Context Protocol at two daemons', () => {
  it('begins on one and continues at the other, in either revision', async () => {
    const gate = Promise.withResolvers<void>();
    await using cluster = await startCluster(2, () => ({
      extraAdapters: [testAdapter(() => gate.promise.then(() => ({ output: 'of the cluster' })))],
    }));
    const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
    // The session of a person is one of the cluster.
    const { token } = await a.app.sessions.create({ userId: 'user_owner', kind: 'sign-in' });
    const credential = { authorization: `Bearer ${token}` };
    const { headers } = await postMcp(
      a,
      {
        id: 0,
        method: 'initialize',
        params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: framing.clientInfo },
      },
      { credential },
    );
    const more = { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
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
  }, 60_000);
});
