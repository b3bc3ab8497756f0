import { expect, it } from 'vitest';
import { ApiError } from '../../../src/contract/client.ts';
import type { LiveMessage } from '../../../src/contract/live.ts';
import type { TaskEvent } from '../../../src/contract/task.ts';
import { TaskLog, type TaskLogSource } from '../../../src/web/live/task-log.ts';

const event = (seq: number, different: Partial<TaskEvent> = {}): TaskEvent => ({
  seq,
  id: `event_${seq}`,
  type: 'output',
  at: new Date(1_800_000_000_000 + seq * 1000).toISOString(),
  message: `line ${seq}\n`,
  data: { stream: 'stdout' },
  ...different,
});
const taskMessage = (news: TaskEvent, id = 'task_1'): LiveMessage => ({
  type: 'task',
  at: news.at,
  task: { id },
  event: news,
});
const hello: LiveMessage = { type: 'hello', version: '0', at: new Date().toISOString() };

/** A daemon that has these events, and a browser that draws when the test says so. */
class Surroundings implements TaskLogSource {
  events: TaskEvent[] = [];
  page = 5000;
  failure: Error | undefined;
  reads: number[] = [];
  frames: (() => void)[] = [];
  timers: (() => void)[] = [];
  /** Reading waits for these. */
  gate: Promise<void> = Promise.resolve();
  /** The bytes of the standard output. */
  written = '';
  ranges: number[] = [];
  #listeners = new Set<(message: LiveMessage) => void>();

  async read(after: number) {
    this.reads.push(after);
    await this.gate;
    if (this.failure) throw this.failure;
    const rest = this.events.filter(({ seq }) => seq > after);
    return { events: rest.slice(0, this.page), hasMore: rest.length > this.page };
  }
  readOutput = async function* (this: Surroundings, _stream: string, offset: number) {
    this.ranges.push(offset);
    await this.gate;
    yield new TextEncoder().encode(this.written.slice(offset));
  }.bind(this);
  onMessage(listener: (message: LiveMessage) => void) {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
  onFrame(callback: () => void) {
    this.frames.push(callback);
    return () => void (this.frames = this.frames.filter((each) => each !== callback));
  }
  after(_ms: number, callback: () => void) {
    this.timers.push(callback);
    return () => void (this.timers = this.timers.filter((each) => each !== callback));
  }
  send(message: LiveMessage) {
    for (const listener of this.#listeners) listener(message);
  }
  draw() {
    for (const frame of this.frames.splice(0)) frame();
  }
}
/** Until all that is under way has come to its end. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
const textOf = ({ output }: TaskLog) => output.rows.map(({ text }) => text);

function setUp() {
  const surroundings = new Surroundings();
  const log = new TaskLog('task_1', surroundings);
  return { surroundings, log };
}

it('reads everything from the beginning, page by page, and then takes what the feed brings', async () => {
  const { surroundings, log } = setUp();
  surroundings.page = 2;
  surroundings.events = [1, 2, 3, 4, 5].map((seq) => event(seq));
  log.follow();
  await settle();
  expect(surroundings.reads).toEqual([0, 2, 4]);
  expect(log.isComplete).toBe(true);
  surroundings.send(taskMessage(event(6)));
  surroundings.send(taskMessage(event(6)));
  surroundings.send(taskMessage(event(7), 'task_2'));
  expect(textOf(log)).toEqual([1, 2, 3, 4, 5, 6].map((seq) => `line ${seq}`));
  expect(surroundings.reads).toHaveLength(3);
});

it('reads what is missing where a number was left out, and repeats nothing', async () => {
  const { surroundings, log } = setUp();
  surroundings.events = [event(1)];
  log.follow();
  await settle();
  surroundings.events.push(event(2), event(3), event(4));
  surroundings.send(taskMessage(event(4)));
  await settle();
  surroundings.send(taskMessage(event(3)));
  expect(surroundings.reads).toEqual([0, 1]);
  expect(textOf(log)).toEqual([1, 2, 3, 4].map((seq) => `line ${seq}`));
});

it('keeps what comes while it reads, in order', async () => {
  const { surroundings, log } = setUp();
  const { promise, resolve } = Promise.withResolvers<void>();
  surroundings.gate = promise;
  surroundings.events = [event(1), event(2)];
  log.follow();
  surroundings.events.push(event(3));
  surroundings.send(taskMessage(event(3)));
  resolve();
  await settle();
  expect(textOf(log)).toEqual(['line 1', 'line 2', 'line 3']);
});

it('reads again at every hello, so that a break of any length leaves no gap', async () => {
  const { surroundings, log } = setUp();
  surroundings.events = [event(1)];
  log.follow();
  await settle();
  for (const seq of [2, 3, 4]) {
    surroundings.events.push(event(seq));
    surroundings.send(hello);
    await settle();
  }
  expect(surroundings.reads).toEqual([0, 1, 2, 3]);
  expect(textOf(log)).toHaveLength(4);
});

it('tries again after a failure that may pass, says what it was, and stops when it is not followed', async () => {
  const { surroundings, log } = setUp();
  surroundings.failure = new TypeError('fetch failed');
  const stop = log.follow();
  await settle();
  expect(log.problem?.message).toBe('fetch failed');
  expect(surroundings.timers).toHaveLength(1);
  surroundings.failure = undefined;
  surroundings.events = [event(1)];
  surroundings.timers.shift()?.();
  await settle();
  expect(log.problem).toBeUndefined();
  expect(textOf(log)).toEqual(['line 1']);
  surroundings.failure = new ApiError(404, { error: 'Task not found' });
  surroundings.send(hello);
  await settle();
  expect(surroundings.timers).toHaveLength(0);
  stop();
  surroundings.send(taskMessage(event(2)));
  expect(surroundings.frames).toHaveLength(0);
  expect(textOf(log)).toHaveLength(1);
});

it('says once a frame that it has changed, however much came', async () => {
  const { surroundings, log } = setUp();
  let changes = 0;
  log.subscribe(() => changes++);
  log.follow();
  await settle();
  surroundings.draw();
  for (let seq = 1; seq <= 1000; seq++) surroundings.send(taskMessage(event(seq)));
  expect(surroundings.frames).toHaveLength(1);
  const before = log.version();
  surroundings.draw();
  expect([changes, log.version() - before]).toEqual([2, 1]);
});

it('follows again where it was stopped', async () => {
  const { surroundings, log } = setUp();
  surroundings.events = [event(1)];
  log.follow()();
  log.follow();
  await settle();
  surroundings.events.push(event(2));
  surroundings.send(taskMessage(event(2)));
  expect(textOf(log)).toEqual(['line 1', 'line 2']);
});

it('marks where another attempt begins, and forgets the tokens of the one before', async () => {
  const { surroundings, log } = setUp();
  surroundings.events = [
    event(1, { type: 'started', message: 'Attempt 1 of 2 by test', data: { attempt: 1 } }),
    event(2),
    event(3, { type: 'progress', message: '', data: { type: 'usage', input: 10, output: 5 } }),
    event(4, { type: 'started', message: 'Attempt 2 of 2 by test', data: { attempt: 2 } }),
  ];
  log.follow();
  await settle();
  expect(textOf(log)).toEqual(['line 2', 'Attempt 2 of 2 by test']);
  expect(log.tokens).toBeUndefined();
});

it('goes on behind the last output event, with what the feed brings and what it left out', async () => {
  const { surroundings, log } = setUp();
  const piece = (offset: number, text: string): LiveMessage => ({
    type: 'output',
    at: hello.at,
    taskId: 'task_1',
    stream: 'stdout',
    offset,
    bytes: text.length,
    text,
  });
  const end = { stream: 'stdout', offset: 4, truncated: true };
  surroundings.written = 'one\ntwo\n';
  surroundings.events = [event(1, { message: 'one\n' }), event(2, { message: '', data: end })];
  log.follow();
  await settle();
  expect([textOf(log), surroundings.ranges]).toEqual([['one', 'two'], [4]]);
  surroundings.send(piece(4, 'two\n'));
  surroundings.send(piece(8, 'three\n'));
  expect(textOf(log)).toEqual(['one', 'two', 'three']);
  surroundings.written = 'one\ntwo\nthree\nfour\nfive\n';
  surroundings.send(piece(19, 'five\n'));
  await settle();
  expect([textOf(log), surroundings.ranges]).toEqual([
    ['one', 'two', 'three', 'four', 'five'],
    [4, 14],
  ]);
  surroundings.written += 'six\n';
  surroundings.events.push(event(3, { type: 'completed', message: 'Completed', data: {} }));
  surroundings.send(taskMessage(surroundings.events[2] as TaskEvent));
  await settle();
  expect(textOf(log).at(-1)).toBe('six');
  surroundings.send(piece(24, 'six\n'));
  await settle();
  expect(textOf(log)).toHaveLength(6);
});

it('begins the rest of the output anew with each attempt', async () => {
  const { surroundings, log } = setUp();
  const end = { stream: 'stdout', offset: 4, truncated: true };
  surroundings.written = 'one\ntwo\n';
  surroundings.events = [
    event(1, { message: 'old\n' }),
    event(2, { message: '', data: end }),
    event(3, { type: 'started', message: 'Attempt 2 of 2', data: {} }),
    event(4, { message: 'one\n' }),
    event(5, { message: '', data: end }),
  ];
  log.follow();
  await settle();
  expect(textOf(log)).toEqual(['old', 'Attempt 2 of 2', 'one', 'two']);
});
