import { describe, expect, it } from 'vitest';
import type { LiveMessage } from '../../src/contract/live.ts';
import { runProgressSchema } from '../../src/contract/run-progress.ts';
import { sparseTaskFields, taskFields } from '../../src/contract/task.ts';
import { runCommand, startCommand } from '../core/agents/run-command.ts';
import { startDaemon, type TestDaemon } from '../helpers/daemon.ts';
import { connectLive, type LiveReader, tasksOf } from '../helpers/live-feed.ts';
import { follow, heldAdapter, testAdapter, until } from '../helpers/tasks.ts';
import { addUser } from '../helpers/users.ts';

const create = async ({ client }: Pick<TestDaemon, 'client'>, title = 'x') =>
  (await client.tasks.create({ body: { title, assignedAgent: 'test' } })).task.id;
const typesOf = (messages: LiveMessage[]) => new Set(messages.map(({ type }) => type));
/** An agent with a step, a call, text and usage. */
const talking = testAdapter(async (run) => {
  run.emit({ type: 'progress', message: 'Step 1', data: { type: 'step:start', step: 1 } });
  run.emit({ type: 'progress', message: 'read_file a', data: { type: 'tool:call', name: 'read_file' } });
  run.emit({ type: 'output', message: 'hello', data: { stream: 'text', type: 'text:delta', step: 1 } });
  run.spend({ inputTokens: 120, outputTokens: 0, costUsd: 0.5 });
  return {
    output: 'x'.repeat(100_000),
    usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
    cost: '0.5',
  };
});

describe('a client that watches nothing', () => {
  it('gets what it got before there were topics', async () => {
    await using daemon = await startDaemon({ extraAdapters: [talking] });
    const { messages } = await connectLive(daemon);
    const ids = [await create(daemon), (await runCommand(daemon, 'seq 200000')).task.id];
    const followed = await Promise.all(ids.map((id) => follow(daemon.client, id)));
    for (const { task, events } of followed) {
      await until(() =>
        expect(tasksOf(messages).filter((each) => each.task.id === task.id)).toHaveLength(events.length),
      );
      const own = tasksOf(messages).filter((each) => each.task.id === task.id);
      expect(own.map(({ event }) => event)).toEqual(events);
      for (const { task: row } of own)
        expect(Object.keys(row).filter((name) => !sparseTaskFields.some((field) => field === name))).toEqual(
          [],
        );
    }
    await until(() => expect(typesOf(messages)).toContain('queue'));
    expect([...typesOf(messages)].toSorted()).toEqual(['hello', 'queue', 'task']);
  });
});

describe('the topic tasks', () => {
  it('has every change of a row and of a state, and no output', async () => {
    await using daemon = await startDaemon({ extraAdapters: [talking] });
    const reader = await connectLive(daemon);
    expect(await reader.watch('tasks')).toMatchObject({ type: 'watching', topics: ['tasks'] });
    const id = await create(daemon);
    const { events } = await follow(daemon.client, id);
    expect(events.map(({ type }) => type)).toContain('output');
    await until(() => expect(tasksOf(reader.messages)).toHaveLength(4));
    expect(tasksOf(reader.messages).map(({ event }) => event.type)).toEqual([
      'created',
      'queued',
      'started',
      'completed',
    ]);
    expect(typesOf(reader.messages)).not.toContain('queue');
    expect(typesOf(reader.messages)).not.toContain('output');
  });

  it('has rows that need no read: all that a list shows, and the numbers of the result', async () => {
    await using daemon = await startDaemon({ extraAdapters: [talking] });
    const reader = await connectLive(daemon);
    await reader.watch('tasks');
    const { task: created } = await daemon.client.tasks.create({
      body: { title: 'x', prompt: 'secret plan', assignedAgent: 'test', labels: ['a'], cwd: daemon.home },
    });
    await follow(daemon.client, created.id);
    await until(() => expect(tasksOf(reader.messages).at(-1)?.event.type).toBe('completed'));
    const { outcome, ...row } = tasksOf(reader.messages).at(-1)?.task ?? { id: '' };
    // What a list can have too, without texts that may be long.
    const texts = ['description', 'prompt', 'result', 'metadata', 'verify', 'outputSchema', 'choice'];
    const fields = taskFields.filter((field) => !texts.includes(field)).join();
    const { tasks } = await daemon.client.tasks.list({ query: { fields } });
    expect(row).toEqual(tasks[0]);
    expect(row).toMatchObject({
      attempts: 1,
      startedAt: expect.any(String),
      completedAt: expect.any(String),
    });
    expect(row).toMatchObject({ cwd: daemon.home, agentType: 'test', labels: ['a'], maxAttempts: 3 });
    expect(outcome).toEqual({
      success: true,
      usage: { inputTokens: 100, outputTokens: 20, totalTokens: 120 },
      cost: '0.5',
      duration: expect.any(Number),
    });
  });

  it('has the error of a failed task', async () => {
    await using daemon = await startDaemon();
    const reader = await connectLive(daemon);
    await reader.watch('tasks');
    const { task } = await runCommand(daemon, 'exit 3');
    await until(() => expect(tasksOf(reader.messages).map(({ event }) => event.type)).toContain('failed'));
    const failed = tasksOf(reader.messages).find(({ event }) => event.type === 'failed');
    expect(failed?.task).toMatchObject({ status: 'failed', error: task.error, outcome: { success: false } });
  });

  it('has the tokens, the cost and the step while an agent works, also for who comes later', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const reader = await connectLive(daemon);
    await reader.watch('tasks');
    const id = await create(daemon);
    const { run, succeed } = await held.started(0);
    run.spend({ inputTokens: 8120, outputTokens: 0, costUsd: 0.03 });
    run.emit({ type: 'progress', message: 'Step 4', data: { type: 'step:start', step: 4 } });
    const progress = { tokens: 8120, cost: '0.03', step: 4 };
    const last = ({ messages }: LiveReader) =>
      messages.findLast((message) => message.type === 'progress' && message.taskId === id);
    await until(() => expect(last(reader)).toMatchObject({ progress }));
    const later = await connectLive(daemon);
    await later.watch(`task:${id}`);
    await until(() => expect(last(later)).toMatchObject({ progress }));
    run.emit({ type: 'output', message: 'text' });
    await until(() => expect(tasksOf(later.messages).at(-1)?.task).toMatchObject({ progress }));
    succeed();
    await until(() => expect(tasksOf(later.messages).at(-1)?.event.type).toBe('completed'));
    expect(tasksOf(later.messages).at(-1)?.task).not.toHaveProperty('progress');
    expect(() => runProgressSchema.parse(progress)).not.toThrow();
  });
});

describe('the topic of one task', () => {
  it('has every event of it and nothing of others', async () => {
    await using daemon = await startDaemon({ extraAdapters: [talking] });
    await daemon.client.queue.pause();
    const [id, other] = [await create(daemon), await create(daemon)];
    const reader = await connectLive(daemon);
    await reader.watch(`task:${id}`);
    await daemon.client.queue.resume();
    const [{ events }] = await Promise.all([follow(daemon.client, id), follow(daemon.client, other)]);
    const since = events.filter(({ seq }) => seq > (tasksOf(reader.messages)[0]?.event.seq ?? 0) - 1);
    await until(() => expect(tasksOf(reader.messages)).toHaveLength(since.length));
    expect(tasksOf(reader.messages).map(({ event }) => event)).toEqual(since);
    expect(since.map(({ data }) => data['type'])).toEqual(
      expect.arrayContaining(['step:start', 'tool:call', 'text:delta']),
    );
    expect([...typesOf(reader.messages)].toSorted()).toEqual(['hello', 'progress', 'task', 'watching']);
  });

  it('sends an event once, whichever topics it belongs to', async () => {
    await using daemon = await startDaemon({ extraAdapters: [talking] });
    await daemon.client.queue.pause();
    const id = await create(daemon);
    const reader = await connectLive(daemon);
    await reader.watch('tasks', `task:${id}`, 'tasks');
    await daemon.client.queue.resume();
    const { events } = await follow(daemon.client, id);
    await until(() => expect(tasksOf(reader.messages).at(-1)?.event.type).toBe('completed'));
    const seen = tasksOf(reader.messages).map(({ event }) => event.seq);
    expect(seen).toEqual(events.map(({ seq }) => seq).slice(-seen.length));
  });

  it('is empty for another user, who learns nothing from the answer either', async () => {
    await using daemon = await startDaemon({ extraAdapters: [talking] });
    const [ann, bob] = [await addUser(daemon, 'ann'), await addUser(daemon, 'bob')];
    await daemon.client.queue.pause();
    const id = await create(ann);
    const made = 'task_00000000-0000-7000-8000-000000000000';
    const [anns, bobs] = [await connectLive(daemon, ann.headers), await connectLive(daemon, bob.headers)];
    await anns.watch(`task:${id}`);
    const answers = [await bobs.watch(`task:${id}`), await bobs.watch(`task:${made}`)];
    expect(answers).toEqual([
      { type: 'watching', at: expect.any(String), topics: [`task:${id}`] },
      { type: 'watching', at: expect.any(String), topics: [`task:${made}`] },
    ]);
    await bobs.watch('tasks', 'approvals', 'notifications', `task:${id}`);
    await daemon.client.queue.resume();
    await follow(ann.client, id);
    await until(() => expect(tasksOf(anns.messages).at(-1)?.event.type).toBe('completed'));
    const own = await create(bob);
    await until(() => expect(tasksOf(bobs.messages)[0]?.task.id).toBe(own));
    expect([...typesOf(bobs.messages)].toSorted()).toEqual(['hello', 'task', 'watching']);
    expect(new Set(tasksOf(bobs.messages).map(({ task }) => task.id))).toEqual(new Set([own]));
  });
});

describe('a message of a client', () => {
  it('replaces the topics of the one before', async () => {
    await using daemon = await startDaemon({ extraAdapters: [talking] });
    const reader = await connectLive(daemon);
    await reader.watch('tasks');
    await reader.watch('queue');
    const id = await create(daemon);
    await follow(daemon.client, id);
    await until(() => expect(typesOf(reader.messages)).toContain('queue'));
    expect(tasksOf(reader.messages)).toEqual([]);
    await reader.watch();
    const queues = () => reader.messages.filter(({ type }) => type === 'queue').length;
    const before = queues();
    await daemon.client.queue.pause();
    await reader.watch('tasks');
    await create(daemon);
    await until(() => expect(tasksOf(reader.messages).length).toBeGreaterThan(0));
    expect(queues()).toBe(before);
  });

  const wrong: [string, string | Buffer, RegExp][] = [
    ['no JSON', 'watch tasks', /^Not JSON\. Expected .*"watch"/],
    ['no object', '[1]', /^Expected/],
    ['null', 'null', /^Expected/],
    ['without topics', '{}', /^Expected/],
    ['a text for a list', '{"watch": "tasks"}', /^Expected/],
    ['a length that is none', '{"watch": {"length": {"valueOf": 1}}}', /^Expected/],
    ['an unknown topic', '{"watch": ["tasks", "task"]}', /^Unknown topic: "task"$/],
    ['no text as a topic', '{"watch": [{"a": 1}]}', /^Unknown topic: \{"a":1\}$/],
    ['a task without an id', '{"watch": ["task:"]}', /^Unknown topic: "task:"$/],
    ['a task id with other characters', '{"watch": ["task:../a"]}', /^Unknown topic/],
    [
      'a long task id',
      JSON.stringify({ watch: [`task:${'a'.repeat(3000)}`] }),
      /^Unknown topic: "task:a{90,100}$/,
    ],
    ['a thousand topics', JSON.stringify({ watch: Array(1000).fill('t') }), /^At most 64 topics$/],
    ['65 topics', JSON.stringify({ watch: Array(65).fill('tasks') }), /^At most 64 topics$/],
    ['deep JSON', '['.repeat(4000), /^Not JSON/],
    ['bytes', Buffer.from('{"watch": ["queue"]}'), /^Expected/],
    ['nothing', '', /^Not JSON/],
  ];

  it('that is wrong gets an error, and changes nothing', async () => {
    await using daemon = await startDaemon({ extraAdapters: [talking] });
    const reader = await connectLive(daemon);
    await reader.watch('tasks');
    for (const [name, text, message] of wrong) {
      const answer = await reader.send(text);
      expect(answer, name).toEqual({
        type: 'error',
        at: expect.any(String),
        message: expect.stringMatching(message),
      });
    }
    await create(daemon);
    await until(() => expect(tasksOf(reader.messages).length).toBeGreaterThan(0));
    expect(typesOf(reader.messages)).not.toContain('queue');
    expect(reader.socket.readyState).toBe(reader.socket.OPEN);
  });

  it('with as many topics as are allowed is taken', async () => {
    await using daemon = await startDaemon();
    const reader = await connectLive(daemon);
    const topics = Array.from(
      { length: 64 },
      (_, at) => `task:task_00000000-0000-7000-8000-${`${at}`.padStart(12, '0')}` as const,
    );
    expect(await reader.watch(...topics)).toMatchObject({ type: 'watching', topics });
  });

  it('that is too long ends the connection', async () => {
    await using daemon = await startDaemon();
    const reader = await connectLive(daemon);
    reader.socket.send(JSON.stringify({ watch: Array(1000).fill('tasks') }));
    expect(await reader.closed).toBe(1009);
  });

  it('one of ten thousand in a row does not hurt the others', async () => {
    await using daemon = await startDaemon({ extraAdapters: [talking] });
    const [loud, calm] = [await connectLive(daemon), await connectLive(daemon)];
    await calm.watch('tasks');
    for (let at = 0; at < 10_000; at++) loud.socket.send(at % 2 ? '{"watch":["tasks"]}' : 'x');
    await create(daemon);
    await until(() => expect(tasksOf(calm.messages).at(-1)?.event.type).toBe('completed'));
  });
});

describe('output beyond what events store', () => {
  /** All of stdout as a client puts it together: by events, by live pieces, and by reads where these leave a gap. */
  async function collect(daemon: TestDaemon, id: string, messages: LiveMessage[]): Promise<string> {
    const pieces = messages.flatMap((message) => {
      if (message.type === 'output' && message.stream === 'stdout') return [message];
      if (message.type !== 'task' || message.event.type !== 'output') return [];
      const { stream, offset, bytes } = message.event.data;
      if (stream !== 'stdout' || typeof offset !== 'number' || typeof bytes !== 'number') return [];
      return [{ offset, bytes, text: message.event.message }];
    });
    let text = '';
    let at = 0;
    const read = async (limit?: number) => {
      const query = { offset: at, ...(limit !== undefined && { limit }) };
      for await (const piece of daemon.client.tasks.getOutput({ params: { id }, query })) {
        text += Buffer.from(piece).toString();
        at += piece.length;
      }
    };
    for (const piece of pieces) {
      if (piece.offset > at) await read(piece.offset - at);
      expect(piece.offset).toBe(at);
      text += piece.text;
      at += piece.bytes;
    }
    await read();
    return text;
  }

  it('continues live, and nothing is lost of 100,000 lines', async () => {
    await using daemon = await startDaemon();
    await daemon.client.queue.pause();
    // With characters of several bytes, so that pieces could divide them.
    const id = await startCommand(daemon, `seq 1 100000 | sed 's/$/ ä€😀/'`);
    const reader = await connectLive(daemon);
    await reader.watch(`task:${id}`);
    await daemon.client.queue.resume();
    await until(() => expect(tasksOf(reader.messages).at(-1)?.event.type).toBe('completed'));
    const all = Array.from({ length: 100_000 }, (_, line) => `${line + 1} ä€😀\n`).join('');
    expect((await collect(daemon, id, reader.messages)) === all).toBe(true);
    const live = reader.messages.filter(({ type }) => type === 'output');
    expect(live.length).toBeGreaterThan(0);
    const cut = tasksOf(reader.messages).find(({ event }) => event.data['truncated'] === true);
    expect(reader.messages.indexOf(cut as LiveMessage)).toBeGreaterThan(0);
  });

  it('is not sent to a client that does not read, which stays connected', async () => {
    const held = heldAdapter();
    await using daemon = await startDaemon({ extraAdapters: [held.adapter] });
    const id = await create(daemon);
    const { run, succeed } = await held.started(0);
    await run.openOutput();
    const [slow, quick] = [await connectLive(daemon), await connectLive(daemon)];
    await slow.watch(`task:${id}`);
    await quick.watch(`task:${id}`);
    const outputs = ({ messages }: LiveReader) => messages.filter(({ type }) => type === 'output');
    slow.socket.pause();
    const text = 'x'.repeat(16_384);
    // More than the buffers of both ends can hold.
    for (let at = 0; at < 1000; at++) {
      run.publishOutput({ stream: 'stdout', offset: at * text.length, bytes: text.length, text });
      await until(() => expect(outputs(quick)).toHaveLength(at + 1));
    }
    slow.socket.resume();
    run.emit({ type: 'progress', message: 'after' });
    await until(() => expect(tasksOf(slow.messages).at(-1)?.event.message).toBe('after'));
    expect(outputs(slow).length).toBeLessThan(1000);
    expect(slow.socket.readyState).toBe(slow.socket.OPEN);
    succeed();
    await follow(daemon.client, id);
  });
});
