import { vi } from 'vitest';
import type { ToolCall } from '../../../src/contract/conversations.ts';
import type { RunEvent } from '../../../src/contract/run-events.ts';
import type { SecurityMode } from '../../../src/contract/security-mode.ts';
import { owner } from '../../../src/core/auth/owner.ts';
import { MAX_CALLS } from '../../../src/core/providers/call-limit.ts';
import { allOf } from '../all-of.ts';
import type { TestDaemon } from '../daemon.ts';
import { type ModelServer, says } from '../model-server.ts';
import { follow } from '../tasks.ts';
import type { HostileCall } from './scene.ts';

export interface CallResult {
  success: boolean;
  content: string;
}
/** A run of a model that did what an attacker told it. */
export interface FinishedRun {
  calls: (HostileCall & { id: string })[];
  /** What came of each call, by its id. */
  results: Map<string, CallResult>;
  /** All that the model, the person or the events of the run were told, as one text. */
  told: string;
  /** The rows of the audit log of each call, by its id; the call that ended first is the first. */
  audited: Map<string, { result: string; approved: number | null }[]>;
}

/** Makes the calls once it knows its workspace. */
export type MakeCalls = (workspace: string) => HostileCall[];
export interface RunPlace {
  daemon: TestDaemon;
  model: ModelServer;
}
type Results = FinishedRun['results'];
/** Starts a run in a mode and waits for its end; answers what was told, and the results where events tell them. */
export type RunPath = (place: RunPlace, mode: SecurityMode) => Promise<{ told: unknown; results?: Results }>;

const resultsOf = (events: RunEvent[]): Results =>
  new Map(
    events.flatMap(({ type, data }) =>
      type === 'tool:result' ? [[data.toolCallId, data.result] as const] : [],
    ),
  );

/** A message to a model with tools, answered whole. */
export const wholeMessage: RunPath = async ({ daemon: { client } }, securityMode) => {
  const { conversation } = await client.conversations.create({ body: {} });
  const params = { id: conversation.id };
  const answer = await client.conversations.sendMessageWithTools({
    params,
    body: { content: 'Go', securityMode },
  });
  const told = await vi.waitFor(
    async () => {
      const found = await client.conversations.get({ params });
      if (found.messages.at(-1)?.content !== 'All done') throw new Error('It is not done');
      return found;
    },
    { timeout: 110_000, interval: 50 },
  );
  return { told: [answer, told] };
};

export const streamedMessage: RunPath = async ({ daemon: { client } }, securityMode) => {
  const { conversation } = await client.conversations.create({ body: {} });
  const params = { id: conversation.id };
  const stream = client.conversations.sendMessageWithToolsStream({
    params,
    body: { content: 'Go', securityMode },
  });
  const events = await allOf(stream);
  return { told: [events, await client.conversations.get({ params })], results: resultsOf(events) };
};

/** It has one mode. */
export const agenticMessage: RunPath = async ({ daemon: { client } }) => {
  const { conversation } = await client.conversations.create({ body: {} });
  const params = { id: conversation.id };
  const stream = client.conversations.sendAgenticMessageStream({ params, body: { content: 'Go' } });
  const events = await allOf(stream);
  return { told: [events, await client.conversations.get({ params })], results: resultsOf(events) };
};

export const taskOf =
  (isTrusted: boolean): RunPath =>
  async ({ daemon: { app, client } }, securityMode) => {
    const input = {
      priority: 3,
      source: 'api' as const,
      labels: [],
      assignedAgent: 'builtin',
      maxAttempts: 1,
    };
    const { answer: created } = await app.tasks.createFor(
      owner,
      { title: 'Go', prompt: 'Go', securityMode, ...input },
      { scope: 'test', key: undefined, body: undefined, isTrusted, attach: (_, task) => task },
    );
    const { task, events } = await follow(client, created.id);
    const results: Results = new Map(
      events.flatMap(({ data }) => {
        if (data['type'] !== 'tool:result') return [];
        const { toolCallId, result } = data as unknown as { toolCallId: string; result: CallResult };
        return [[toolCallId, result] as const];
      }),
    );
    if (task.status !== 'completed') throw new Error(`The task ended as ${JSON.stringify(task.error)}`);
    return { told: [task, events], results };
  };

let runs = 0;
/** Prompts of tasks that runs created: these run on their own, also during a later test. */
const createdPrompts = new Set<string>();

const isOfCreatedTask = (messages: readonly { role: string }[]): boolean => {
  const first = JSON.stringify(messages.find(({ role }) => role === 'user'));
  return [...createdPrompts].some((prompt) => first.includes(JSON.stringify(prompt).slice(1, -1)));
};

/** A long run asks the model to shorten its earlier steps; an answer with calls would lose them. */
const isCompaction = (messages: readonly { role: string; content?: unknown }[]): boolean =>
  String(messages.at(-1)?.content).startsWith('What came before in a work with tools.');

/** Lets a model make the calls, as many in one answer as are allowed, on one of the paths; a person allows whatever is asked. */
export async function runHostile(
  place: RunPlace,
  path: RunPath,
  mode: SecurityMode,
  make: MakeCalls,
): Promise<FinishedRun> {
  const { daemon, model } = place;
  const run = `run${++runs}-`;
  let calls: FinishedRun['calls'] = [];
  let sent = 0;
  model.asked.length = 0;
  model.script = (reply, asked) => {
    if (isOfCreatedTask(asked.body.messages)) return says('All done')(reply, asked);
    if (isCompaction(asked.body.messages)) return says('A summary of the steps')(reply, asked);
    if (calls.length > 0) {
      const next = calls.slice(sent, (sent += MAX_CALLS));
      return next.length > 0 ? reply.calls(asked.body.stream, next) : says('All done')(reply, asked);
    }
    const workspace = /in the folder (\S+)\. Paths/.exec(JSON.stringify(asked.body.messages[0]))?.[1];
    if (workspace === undefined) throw new Error('The model was not told of its workspace');
    calls = make(workspace).map((call, index) => ({ ...call, id: `${run}${index}` }));
    for (const { name, args } of calls)
      if (name === 'task_create') createdPrompts.add(String((args as { prompt?: unknown }).prompt));
    return reply.calls(asked.body.stream, calls.slice(0, (sent = MAX_CALLS)));
  };
  const faults: unknown[] = [];
  const unsubscribe = daemon.app.bus.on('approval', ({ row }) => {
    if (row.status !== 'pending') return;
    daemon.client.approvals
      .decide({ params: { id: row.id }, body: { decision: 'allow-once' } })
      .catch((error: unknown) => faults.push(error));
  });
  const { told, results } = await path(place, mode).finally(unsubscribe);
  if (faults.length > 0) throw new AggregateError(faults, 'Nobody could decide');
  const audited: FinishedRun['audited'] = new Map();
  const rows = await daemon.app.database.read
    .selectFrom('audit_log')
    .select(['call_id', 'result', 'approved'])
    .where('call_id', 'like', `${run}%`)
    .orderBy('seq')
    .execute();
  for (const { call_id, ...row } of rows) {
    const id = call_id ?? '';
    const before = audited.get(id) ?? [];
    audited.delete(id);
    audited.set(id, [...before, row]);
  }
  return {
    calls,
    results: results ?? inOrder([...audited.keys()], told),
    told: JSON.stringify([told, model.asked]),
    audited,
  };
}

/** A message that is answered whole tells of its calls in the order of their ends, and without their ids. */
function inOrder(ids: readonly string[], told: unknown): Results {
  const [, { messages }] = told as [unknown, { messages: { toolCalls?: ToolCall[] }[] }];
  const calls = messages.at(-1)?.toolCalls ?? [];
  if (calls.length !== ids.length) throw new Error(`The message tells of ${calls.length} calls`);
  return new Map(
    ids.map((id, index) => {
      const { result = '', status } = calls[index] ?? {};
      return [id, { content: String(result), success: status === 'success' }];
    }),
  );
}
