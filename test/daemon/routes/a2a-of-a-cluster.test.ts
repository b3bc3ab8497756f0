import { expect, it } from 'vitest';
import { readServerSentEvents } from '../../../src/contract/server-sent-events.ts';
import { a2aFlags, callRaw, tokenOf } from '../../helpers/a2a.ts';
import { describeCluster, startCluster } from '../../helpers/cluster.ts';
import type { TestDaemon } from '../../helpers/daemon.ts';
import { heldAdapter } from '../../helpers/tasks.ts';

const message = { role: 'ROLE_USER', messageId: 'm', parts: [{ text: 'Wait' }], metadata: { skill: 'held' } };

describeCluster('a task of another agent on two daemons', () => {
  it('is read, followed and cancelled on the daemon that did not take it', async () => {
    const held = heldAdapter({ type: 'held' });
    await using cluster = await startCluster(2, { extraAdapters: [held.adapter], flags: a2aFlags });
    const [a, b] = cluster.daemons as [TestDaemon, TestDaemon];
    const { headers } = await tokenOf(a);
    const sent = await callRaw(a, headers, 'SendMessage', {
      message,
      configuration: { returnImmediately: true },
    });
    const { task } = sent.body.result as { task: { id: string; contextId: string } };
    const { id } = task;
    await held.started(0);
    expect((await callRaw(b, headers, 'GetTask', { id })).body.result).toMatchObject({
      id,
      contextId: task.contextId,
    });
    const response = await fetch(`${b.url}/a2a`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', 'a2a-version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'SubscribeToTask', params: { id } }),
    });
    const updates: unknown[] = [];
    const following = (async () => {
      if (!response.body) throw new Error('The stream has no body');
      for await (const { data } of readServerSentEvents(response.body)) updates.push(data);
    })();
    const cancelled = await callRaw(a, headers, 'CancelTask', { id });
    expect(cancelled.body.result).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
    await following;
    expect(updates.at(-1)).toMatchObject({
      result: { statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } },
    });
  });
});
