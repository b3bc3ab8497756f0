import { isDeepStrictEqual } from 'node:util';
import type { Task, TaskEvent } from '../../../src/contract/task.ts';
import { walkThrough } from '../crash/task-history.ts';
import type { Evidence, RunLine, StoredTask } from './evidence.ts';
import { acknowledgedIn, type Posted, type ReaderLog } from './ledger.ts';
import { lastLineOf } from './plans.ts';
import { backoffMs } from './shipped-daemon.ts';

const terminal: readonly string[] = ['completed', 'failed', 'cancelled'];

/** Everything that contradicts what clients were promised, a sentence each. */
export function* checkEvidence(evidence: Evidence): Generator<string> {
  const { ledger, tasks, stored, doubleKeys, integrity, audit, errors } = evidence;
  yield* ledger.oddAnswers.map((answer) => `no kill explains the answer ${answer}`);
  yield* errors.map((line) => `the daemon logged ${line}`);
  for (const [word, post] of ledger.posts) {
    if (post.taskIds.size > 1) yield `${word} made the tasks ${[...post.taskIds].join(', ')}`;
    if (post.isKeyed && post.taskIds.size === 0) yield `${word} was never acknowledged`;
  }
  for (const key of doubleKeys) yield `more than one task is stored for the key ${key}`;
  for (const { taskId, word } of acknowledgedIn(ledger))
    if (!tasks.has(taskId)) yield `${word}: the acknowledged task ${taskId} is gone`;
  const runs = Map.groupBy(evidence.runs, ({ taskId }) => taskId);
  const rows = new Map(stored.map((row) => [row.id, row]));
  for (const [id, { task, events }] of tasks) {
    const post = ledger.posts.get(task.title);
    const complaints = [
      ...checkTask(task, events),
      ...checkRuns(task, events, runs.get(id) ?? [], rows.get(id)),
      ...(ledger.cancelled.has(id) && task.status !== 'cancelled'
        ? [`the cancel was acknowledged and the task is ${task.status}`]
        : []),
      ...(post ? checkPlan(task, post) : ['no client asked for it']),
    ];
    for (const complaint of complaints) yield `${task.title} (${id}): ${complaint}`;
  }
  for (const id of runs.keys()) if (!tasks.has(id)) yield `${id} ran and is nowhere stored`;
  for (const log of ledger.readers) yield* checkReader(log, tasks.get(log.taskId)?.events ?? []);
  yield* checkRequests(evidence);
  if (integrity !== 'ok') yield `the database is damaged: ${integrity}`;
  if (audit.code !== 0) yield `svc audit verify ended with ${audit.code}: ${audit.text}`;
  yield* checkTokens(evidence);
}

function* checkTokens({ ledger, tokens, audit: { created, revoked } }: Evidence): Generator<string> {
  for (const id of ledger.tokens)
    if (!created.has(id)) yield `the audit log does not have the creation of ${id}`;
  for (const id of ledger.revoked) if (!revoked.has(id)) yield `the audit log does not have the end of ${id}`;
  for (const id of new Set([...created, ...tokens]))
    if (!created.has(id) || tokens.has(id) === revoked.has(id))
      yield `the token ${id} and the audit log contradict each other`;
}

function* checkTask(task: Task, events: TaskEvent[]): Generator<string> {
  const history = walkThrough(events, task, backoffMs);
  yield* history.faults;
  if (history.status !== task.status)
    yield `it is ${task.status}, its events say ${history.status ?? 'nothing'}`;
  if (history.attempts !== task.attempts)
    yield `it counts ${task.attempts} attempts, its events ${history.attempts}`;
  const ends = events.filter(({ type }) => terminal.includes(type));
  if (ends.length !== 1) yield `it finished ${ends.length} times`;
  const last = events.at(-1)?.type;
  if (task.status === 'cancelled' && last !== 'cancelled') yield `after its cancel there is ${last}`;
}

/** What the runs wrote themselves against what is recorded of them. */
function* checkRuns(
  task: Task,
  events: TaskEvent[],
  lines: RunLine[],
  row: StoredTask | undefined,
): Generator<string> {
  const begun = lines.filter(({ what }) => what === 'begin').map(({ mark }) => mark);
  const started = events.filter(({ type }) => type === 'started').length;
  const counted = row ? row.attempts + row.forgiven : 0;
  if (started !== counted) yield `its events tell of ${started} runs, its row of ${counted}`;
  if (new Set(begun).size !== begun.length) yield 'one of its runs was executed twice';
  if (begun.length > counted) yield `it ran ${begun.length} times, ${counted} are recorded`;
  if (task.maxAttempts === 1 && begun.length > 1) yield `it ran ${begun.length} times with a single attempt`;
  let current: string | undefined;
  for (const { what, mark } of lines) {
    if (what === 'begin') current = mark;
    else if (mark !== current) yield `the run ${mark} went on after ${current ?? 'nothing'} had begun`;
  }
  const isDone = lines.at(-1)?.what === 'end';
  if (task.status === 'completed' && !isDone) yield 'it is completed and its last run did not end';
}

function* checkPlan({ title, status, result, error }: Task, { plan }: Posted): Generator<string> {
  if (status === 'completed') {
    if (plan === 'hopeless' || plan === 'endless') yield `it is completed, and its plan is ${plan}`;
    if (!result?.output.endsWith(`${lastLineOf(title)}\n`)) yield `its result is ${JSON.stringify(result)}`;
  }
  // A daemon that died may have taken the only attempt with it, or seem to have died of the task.
  const isByKill = error?.code === 'poison' || error?.code === 'worker_lost';
  if (status === 'failed' && plan !== 'hopeless' && !isByKill) yield `it failed: ${JSON.stringify(error)}`;
}

/** Whether a reader got each event of the task once, as stored and in order. */
export function* checkReader({ taskId, events, isDone }: ReaderLog, stored: TaskEvent[]): Generator<string> {
  const reader = `a reader of ${taskId}`;
  if (!isDone) yield `${reader} never came to the end`;
  const position = stored.findIndex((event, index) => !isDeepStrictEqual(events[index]?.data, event));
  const at = position >= 0 ? position : stored.length;
  if (position >= 0 || events.length !== stored.length)
    yield `${reader} got ${events.length} events of ${stored.length}; instead of ${numberOf(stored[at])} came ${numberOf(events[at]?.data)}`;
  if (events.some(({ id, data }) => id !== String(data.seq))) yield `${reader} got events under a wrong id`;
}

const numberOf = (event: TaskEvent | undefined) => (event ? `${event.seq} (${event.type})` : 'nothing');

function* checkRequests({ ledger, tasks, requests }: Evidence): Generator<string> {
  const known = new Set<string>();
  for (const [word, post] of ledger.posts) {
    if (post.way !== 'gateway') continue;
    const [requestId = '', another] = post.requestIds;
    known.add(word);
    if (another !== undefined) yield `${word} made the requests ${requestId} and ${another}`;
    if (post.requestIds.size === 0) continue;
    const [taskId = ''] = post.taskIds;
    if (requests.get(requestId) !== taskId)
      yield `${word}: the request ${requestId} is gone or has another task`;
    if (!post.isFollowed) yield `${word}: the request ${requestId} never ended`;
    const task = tasks.get(taskId)?.task;
    const expected = task && [task.id, task.status, ...outcomeOf(task)];
    for (const outcome of post.outcomes)
      if (
        !isDeepStrictEqual([outcome.taskId, outcome.status, outcome.result?.output, outcome.error], expected)
      )
        yield `${word}: the request ended with ${JSON.stringify(outcome)}, its task is ${JSON.stringify(task)}`;
  }
  for (const [requestId, taskId] of requests) {
    const word = tasks.get(taskId)?.task.title;
    // Each word was one request.
    if (word === undefined || !known.delete(word))
      yield `the request ${requestId} for ${taskId} is not the only one`;
  }
}

/** What the gateway says of a task: the result of a completed one, the error of a failed one. */
const outcomeOf = ({ status, result, error }: Task) => [
  status === 'completed' ? result?.output : undefined,
  status === 'failed' ? error : undefined,
];
