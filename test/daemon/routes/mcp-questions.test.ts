import { type Client, type ElicitResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TaskQuestions } from '../../../src/core/mcp-server/task-questions.ts';
import { TaskReports } from '../../../src/core/mcp-server/task-reports.ts';
import { TaskViews } from '../../../src/core/mcp-server/task-views.ts';
import { waitForTaskTool } from '../../../src/core/mcp-server/tools/wait-for-task.ts';
import { newApproval } from '../../helpers/approvals.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { bearerOf, contentOf, openMcp, textOf } from '../../helpers/mcp-clients.ts';
import { postMcp, streamMcp } from '../../helpers/mcp-http.ts';
import { heldAdapter } from '../../helpers/tasks.ts';
import { addUser } from '../../helpers/users.ts';

const owner = { userId: 'user_owner', role: 'admin' as const };
const held = heldAdapter();
let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startDaemon({ extraAdapters: [held.adapter] });
});
afterAll(() => daemon[Symbol.asyncDispose]());

/** A task that runs, with a call that waits for a decision. */
async function startAsking(argv = 'make') {
  const body = { title: 'A task', prompt: 'Do it', assignedAgent: 'test' };
  const { id } = (await daemon.client.tasks.create({ body })).task;
  const run = await held.startedFor(id);
  return { id, run, approval: await request(id, argv) };
}
const request = (taskId: string, argv: string) =>
  daemon.app.approvals.request(
    newApproval({
      task_id: taskId,
      scope_id: taskId,
      binding: argv,
      arguments: JSON.stringify({ argv: [argv] }),
    }),
  );
const statusOf = async (id: string) => (await daemon.app.approvals.get(owner, id)).status;

interface Asked {
  message: string;
  signal: AbortSignal;
  answer: (result: ElicitResult) => void;
}
/** A client up to revision 2025-11-25 whose person answers as the test says. */
async function openAsking(credential?: Record<string, string>) {
  const asked: Asked[] = [];
  const waiting: ((question: Asked) => void)[] = [];
  const client = await openMcp(daemon, {
    era: 'legacy',
    capabilities: { elicitation: {} },
    ...(credential && { credential }),
    prepare: (each) =>
      each.setRequestHandler('elicitation/create', ({ params }, { mcpReq }) => {
        const { promise, resolve } = Promise.withResolvers<ElicitResult>();
        const question = { message: params.message, signal: mcpReq.signal, answer: resolve };
        asked.push(question);
        waiting.shift()?.(question);
        return promise;
      }),
  });
  let read = 0;
  /** The next question that the test has not seen. */
  const next = () =>
    new Promise<Asked>((resolve) => {
      const known = asked[read++];
      if (known) resolve(known);
      else waiting.push(resolve);
    });
  return Object.assign(client, { asked, next });
}
const wait = (client: Client, id: string, timeoutSeconds = 300) =>
  client.callTool({ name: 'wait_for_task', arguments: { id, timeoutSeconds } });
const decided = (decision: string): ElicitResult => ({ action: 'accept', content: { decision } });

describe('a client of an older revision that can ask its user', () => {
  it('asks about each call of the task that it waits for, and the answer decides', async () => {
    await using client = await openAsking();
    const { id, run, approval } = await startAsking();
    const waiting = wait(client, id);
    const first = await client.next();
    expect(first.message).toMatch(/once\?.*\n\nrun_command in \/\n\n\{[^]*"make"/);
    const second = await request(id, 'curl');
    first.answer(decided('allow-once'));
    const next = await client.next();
    expect(next.message).toContain('"curl"');
    expect(await statusOf(approval.id)).toBe('approved');
    next.answer(decided('deny'));
    await daemon.app.approvals.waitForDecision(second.id, AbortSignal.timeout(20_000));
    run.succeed('made');
    expect(contentOf(await waiting)).toMatchObject({ status: 'completed', result: { output: 'made' } });
    expect(await daemon.app.approvals.get(owner, second.id)).toMatchObject({
      status: 'denied',
      decidedBy: 'user_owner',
    });
    expect(client.asked).toHaveLength(2);
  });

  it.each<ElicitResult>([
    { action: 'decline' },
    { action: 'cancel' },
    decided('allow-always'),
    { action: 'accept', content: { allow: true } },
  ])('decides nothing by %j, and asks no second time in this wait', async (answer) => {
    await using client = await openAsking();
    const { id, run, approval } = await startAsking();
    const waiting = wait(client, id);
    (await client.next()).answer(answer);
    // The next question comes after the answer to this one was taken.
    const later = await request(id, 'later');
    (await client.next()).answer(decided('deny'));
    await daemon.app.approvals.waitForDecision(later.id, AbortSignal.timeout(20_000));
    run.succeed();
    await waiting;
    expect(await statusOf(approval.id)).toBe('pending');
    expect(client.asked).toHaveLength(2);
  });

  it('takes the question back when the call is decided elsewhere, and when the wait is over', async () => {
    await using client = await openAsking();
    const { id, run, approval } = await startAsking();
    const waiting = wait(client, id);
    const first = await client.next();
    await daemon.app.approvals.decide(owner, approval.id, 'deny');
    await request(id, 'other');
    const second = await client.next();
    expect(first.signal.aborted).toBe(true);
    run.succeed();
    expect(contentOf(await waiting)).toMatchObject({ finished: true });
    expect(second.signal.aborted).toBe(true);
  });

  it('has the time of the longest wait to answer, and the wait ends with the answer', async () => {
    const { app } = daemon;
    const { id, run, approval } = await startAsking();
    const question = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    const waits: number[] = [];
    const tool = waitForTaskTool({
      ...app,
      views: new TaskViews(app),
      reports: new TaskReports(app.bus),
      questions: new TaskQuestions(app),
      gatewayWaits: {
        untilEnd: async (task, ms, signal) => {
          waits.push(ms);
          // The first limit is over while the question is open.
          await question.promise;
          if (waits.length === 2) answer.resolve();
          return app.gatewayWaits.untilEnd(task, waits.length === 1 ? 0 : ms, signal);
        },
      },
    });
    const result = await tool.run(
      { id, timeoutSeconds: 50 },
      {
        caller: owner,
        signal: new AbortController().signal,
        takesHandle: false,
        person: 'absent',
        ask: async (asked) => {
          question.resolve();
          await answer.promise;
          return asked;
        },
      },
    );
    expect(waits).toEqual([50_000, 250_000]);
    expect(result).toMatchObject({ structured: { finished: false } });
    expect(await statusOf(approval.id)).toBe('pending');
    run.succeed();
  });

  it('decides about one call with decide_approval', async () => {
    await using client = await openAsking();
    const { run, approval } = await startAsking();
    const decide = () =>
      client.callTool({
        name: 'decide_approval',
        arguments: { id: approval.id, call: 'run_command {"argv":["make"]}', decision: 'allow-once' },
      });
    const refused = decide();
    (await client.next()).answer({ action: 'decline' });
    expect(textOf(await refused)).toBe('The user did not allow the call. It keeps waiting');
    const allowed = decide();
    (await client.next()).answer(decided('allow-once'));
    expect(contentOf(await allowed)['approval']).toMatchObject({
      status: 'approved',
      decision: 'allow-once',
    });
    run.succeed();
  });

  it('is not asked with an API token, nor about the tasks of others', async () => {
    const { id, run, approval } = await startAsking();
    await using client = await openAsking(await bearerOf(daemon, ['tasks:read']));
    expect(contentOf(await wait(client, id, 1))).toMatchObject({ finished: false });
    const ann = await addUser(daemon, 'ann');
    await using theirs = await openAsking(ann.headers);
    expect(textOf(await wait(theirs, id, 1))).toBe('Task not found');
    expect([...client.asked, ...theirs.asked]).toEqual([]);
    expect(await statusOf(approval.id)).toBe('pending');
    run.succeed();
  });
});

describe('the answer to a question', () => {
  const initialize = async (capabilities: object, credential = daemon.headers) => {
    const clientInfo = { name: 'test', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities, clientInfo };
    const { headers } = await postMcp(daemon, { id: 0, method: 'initialize', params }, { credential });
    return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
  };
  const result = decided('allow-once');

  it('counts in the session in which it was asked alone, and decides once', async () => {
    const { id, run, approval } = await startAsking();
    const mine = await initialize({ elicitation: { form: {} } });
    const other = await initialize({ elicitation: { form: {} } });
    const params = { name: 'wait_for_task', arguments: { id, timeoutSeconds: 300 } };
    const waiting = streamMcp(
      daemon,
      { id: 1, method: 'tools/call', params },
      { ...daemon.headers, ...mine },
      'elicitation/create',
    );
    const asked = await waiting.progress;
    const question = /"id":"(svc-ask\.[^"]+)"/.exec(asked)?.[1] ?? '';
    expect(question).toContain(approval.id);
    for (const [forged, more] of [
      [question, other],
      [`${question}x`, mine],
      [question.replace(approval.id, 'appr_none'), mine],
      ['svc-ask.', mine],
    ] as const)
      expect((await postMcp(daemon, { id: forged, result }, { more })).status, forged).toBe(400);
    expect(await statusOf(approval.id)).toBe('pending');
    expect((await postMcp(daemon, { id: question, result }, { more: mine })).status).toBe(202);
    expect(await statusOf(approval.id)).toBe('approved');
    const again = await postMcp(daemon, { id: question, result: decided('deny') }, { more: mine });
    expect(again).toMatchObject({
      status: 400,
      message: { error: { message: 'The approval is already approved' } },
    });
    run.succeed();
    expect(await waiting.ended).toContain('"completed"');
  });

  it.each([{}, { elicitation: { url: {} } }, { elicitation: 'yes' }])(
    'is not waited for from a client with the capabilities %j',
    async (capabilities) => {
      const { id, run } = await startAsking();
      const more = await initialize(capabilities);
      const params = { name: 'wait_for_task', arguments: { id, timeoutSeconds: 1 } };
      const answer = await streamMcp(
        daemon,
        { id: 1, method: 'tools/call', params },
        { ...daemon.headers, ...more },
      ).ended;
      expect(answer).not.toContain('elicitation');
      run.succeed();
    },
  );
});
