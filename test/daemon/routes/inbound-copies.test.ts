import { Agent } from 'undici';
import { describe, expect, it } from 'vitest';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import {
  commentOn,
  deliver,
  fromGithub,
  inboundFlags,
  type InboundReply,
  labeledIssue,
  openedIssue,
  type SentDelivery,
} from '../../helpers/inbound.ts';
import { heldAdapter, testAdapter, until } from '../../helpers/tasks.ts';
import { sized } from '../../helpers/long.ts';

const COPIES = sized(200, 1000);
const copies = <T>(make: (at: number) => T) => Array.from({ length: COPIES }, (_, at) => make(at));
/** Over many connections, and fewer than the daemon takes at once. */
async function sendAll(daemon: TestDaemon, deliveries: SentDelivery[]) {
  const agent = new Agent({ connections: 100 });
  try {
    return await Promise.all(deliveries.map((delivery) => deliver(daemon, delivery, agent)));
  } finally {
    await agent.close();
  }
}

/** One was accepted, and all were told of its task. */
async function expectOneTask(daemon: TestDaemon, answers: InboundReply[]) {
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  const accepted = answers.filter(({ body }) => body.status === 'accepted');
  expect(accepted).toHaveLength(1);
  expect(new Set(answers.map(({ body }) => body.taskId))).toEqual(new Set([accepted[0]?.body.taskId]));
  const others = answers.filter((answer) => answer !== accepted[0]);
  expect(new Set(others.map(({ body }) => body.status))).toEqual(new Set(['duplicate']));
  expect((await daemon.client.tasks.list()).tasks.map(({ id }) => id)).toEqual([accepted[0]?.body.taskId]);
}

describe(`${COPIES} simultaneous webhooks`, { timeout: 180_000 }, () => {
  it('simultaneous copies of one delivery create one task and one entry', async () => {
    await using daemon = await startDaemon({ flags: inboundFlags });
    const delivery = fromGithub(openedIssue());
    await expectOneTask(
      daemon,
      await sendAll(
        daemon,
        copies(() => delivery),
      ),
    );
    expect(await daemon.client.inbound.list()).toMatchObject({ total: 1, deliveries: [{ copies: COPIES }] });
  });

  it('simultaneous deliveries of the same bytes under different ids create one task and one entry', async () => {
    await using daemon = await startDaemon({ flags: inboundFlags });
    const deliveries = copies(() => fromGithub(openedIssue()));
    expect(new Set(deliveries.map(({ headers }) => headers['x-github-delivery'])).size).toBe(COPIES);
    await expectOneTask(daemon, await sendAll(daemon, deliveries));
    expect(await daemon.client.inbound.list()).toMatchObject({ total: 1, deliveries: [{ copies: COPIES }] });
  });

  it('simultaneous deliveries about one issue create one task, even while it runs', async () => {
    const held = heldAdapter({ capabilities: ['ai-task'] });
    await using daemon = await startDaemon({ flags: inboundFlags, extraAdapters: [held.adapter] });
    const deliveries = copies((at) =>
      fromGithub(labeledIssue({ updatedAt: new Date(Date.UTC(2026, 10, 20) + at * 1000).toISOString() })),
    );
    await expectOneTask(daemon, await sendAll(daemon, deliveries));
    await held.started(0);
    expect(held.runs).toHaveLength(1);
    expect(await daemon.client.inbound.list()).toMatchObject({ total: COPIES });
  });

  it('simultaneous deliveries about different issues create a task each', async () => {
    await using daemon = await startDaemon({ flags: inboundFlags });
    const answers = await sendAll(
      daemon,
      copies((at) => fromGithub(openedIssue({ number: at + 1 }))),
    );
    expect(new Set(answers.map(({ body }) => body.taskId)).size).toBe(COPIES);
    expect(await daemon.client.tasks.filter({ query: { limit: 1 } })).toMatchObject({ total: COPIES });
  });
});

describe('consecutive webhooks of one issue', () => {
  it('creates one task for an opened and labeled issue', async () => {
    await using daemon = await startDaemon({ flags: inboundFlags });
    const opened = await deliver(daemon, fromGithub(openedIssue()));
    const labeled = await deliver(daemon, fromGithub(labeledIssue()));
    expect(labeled.body).toMatchObject({ status: 'duplicate', taskId: opened.body.taskId });
  });

  it('creates another task for a label after the first task has finished', async () => {
    const adapter = testAdapter(async () => ({ output: 'done' }), { capabilities: ['ai-task'] });
    await using daemon = await startDaemon({ flags: inboundFlags, extraAdapters: [adapter] });
    const first = await deliver(daemon, fromGithub(labeledIssue()));
    await until(async () => {
      const { task } = await daemon.client.tasks.get({ params: { id: first.body.taskId ?? '' } });
      expect(task.status).toBe('completed');
    });
    const second = await deliver(daemon, fromGithub(labeledIssue({ updatedAt: '2026-11-21T10:00:00Z' })));
    expect(second.body).toMatchObject({ status: 'accepted' });
    expect(second.body.taskId).not.toBe(first.body.taskId);
  });

  it('creates a task for each comment that requests one', async () => {
    await using daemon = await startDaemon({ flags: inboundFlags });
    const say = (id: number, text: string) =>
      deliver(daemon, fromGithub(commentOn({}, id, text), { event: 'issue_comment' }));
    const first = await say(1, '/ai find out why');
    const second = await say(2, '/ai and mend it');
    expect([first.body.status, second.body.status]).toEqual(['accepted', 'accepted']);
    expect(second.body.taskId).not.toBe(first.body.taskId);
    expect(await say(2, '/ai and mend it')).toMatchObject({
      body: { status: 'duplicate', taskId: second.body.taskId },
    });
    const { task } = await daemon.client.tasks.get({ params: { id: second.body.taskId ?? '' } });
    expect(task.prompt).toMatch('and mend it');
  });
});
