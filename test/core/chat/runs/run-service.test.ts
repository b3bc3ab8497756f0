import { expect, it } from 'vitest';
import type { RunEventInput } from '../../../../src/contract/run-events.ts';
import type { RunPlan } from '../../../../src/core/chat/runs/run-order.ts';
import { messageRules, type RunOutcome, taskRules } from '../../../../src/core/chat/runs/run-policy.ts';
import { RunService, type RunServiceDeps } from '../../../../src/core/chat/runs/run-service.ts';
import { newRunState } from '../../../../src/core/chat/runs/run-state.ts';
import type { LoopEnd } from '../../../../src/core/chat/runs/run-policy.ts';
import type { LoopOrder } from '../../../../src/core/chat/runs/tool-loop.ts';

const plan: RunPlan = {
  id: 'run_1',
  userId: 'user_ann',
  model: {
    provider: 'ollama',
    modelId: 'test-model',
    model: {} as RunPlan['model']['model'],
    contextWindow: undefined,
    supportsReasoning: false,
  },
  state: { ...newRunState([]), text: 'Done' },
  instructions: '',
  workspace: '/srv/app',
  project: undefined,
  memoryScope: 'all',
  mode: 'ask',
  hasTools: false,
  mayRunCommands: false,
  isTrusted: true,
  isStreamed: true,
  showsThinking: true,
  isAnnounced: false,
  signal: new AbortController().signal,
};
const taskPlan = { ...plan, taskId: 'task_1' };
const rules = taskRules({ steps: 3, tokens: 9000, costUsd: null, wallMs: null });

/** A run whose loop ends as the test says. */
async function run(
  given: RunPlan,
  loop: (order: LoopOrder) => Promise<LoopEnd>,
  { keeps = true, ...policy }: Partial<typeof rules> & { keeps?: boolean } = {},
) {
  const events: RunEventInput[] = [];
  const kept: RunOutcome[] = [];
  const orders: LoopOrder[] = [];
  const deps = {
    loop: {
      run: (order: LoopOrder) => {
        orders.push(order);
        return loop(order);
      },
    },
  } as unknown as RunServiceDeps;
  const outcome = await new RunService(deps).run(given, {
    ...rules,
    ...policy,
    sink: (event) => events.push(event),
    store: {
      keep: async (end) => {
        kept.push(end);
        return keeps ? 'msg_1' : undefined;
      },
    },
  });
  return { outcome, events, kept, order: orders[0] };
}
const done = async (): Promise<LoopEnd> => ({ kind: 'done' });
const types = (events: RunEventInput[]) => events.map(({ type }) => type);

it('a run starts with its limits, stores the outcome, then reports completion', async () => {
  const { events, kept } = await run(taskPlan, done);
  expect(types(events)).toEqual(['session:start', 'summary', 'complete', 'message_saved']);
  expect(events[0]?.data).toEqual({
    sessionId: 'run_1',
    taskId: 'task_1',
    provider: 'ollama',
    model: 'test-model',
    maxSteps: 3,
    maxBudget: 9000,
    timeoutMs: null,
  });
  expect(kept).toEqual([{ kind: 'done' }]);
});

it('reports no message where none is stored, and no summary without a task', async () => {
  expect(types((await run(plan, done, { keeps: false })).events)).toEqual(['session:start', 'complete']);
});

it('announces a run once, even when it is resumed', async () => {
  expect(types((await run({ ...plan, isAnnounced: true }, done)).events)).not.toContain('session:start');
});

it('stores a run that waits for a decision, and reports no completion', async () => {
  const waiting = { kind: 'waiting', approvals: [] } as const;
  const { outcome, events, kept } = await run(plan, async () => ({ ...waiting, approvals: [] }), {
    ...messageRules({ hasTools: false }),
  });
  expect([outcome, kept]).toEqual([waiting, [waiting]]);
  expect(types(events)).toEqual(['session:start']);
});

it('stores a failure as the outcome, and leaves the report to the caller', async () => {
  const error = new Error('broken');
  const { outcome, events, kept } = await run(plan, () => Promise.reject(error));
  expect([outcome, kept]).toEqual([{ kind: 'failed', error }, [{ kind: 'failed', error }]]);
  expect(types(events)).toEqual(['session:start']);
});

it.each([
  ['a message, whose sender can be asked', plan, 'run_1', true],
  ['a message in the mode full', { ...plan, mode: 'full' }, 'run_1', true],
  ['a task', taskPlan, 'task_1', true],
  ['a task without a person to ask', { ...taskPlan, mode: 'full' }, 'task_1', false],
] as const)('binds approvals to the run: %s', async (_, given, id, canAsk) => {
  expect((await run(given, done)).order?.run).toMatchObject({ id, canAsk });
});
