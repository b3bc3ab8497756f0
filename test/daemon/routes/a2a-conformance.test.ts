import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readServerSentEvents } from '../../../src/contract/server-sent-events.ts';
import { allOf } from '../../helpers/all-of.ts';
import { a2aFlags, callRaw, postRaw, type RawAnswer, tokenOf } from '../../helpers/a2a.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { heldAdapter, testAdapter } from '../../helpers/tasks.ts';

/**
 * The requirements with the level MUST of the test kit for A2A 1.0 (a2aproject/a2a-tck) that a JSON-RPC server can be asked
 * for, by its ids, with requests of our own: the kit itself is a Python program. Left out are those about what svc does not
 * declare (signed cards, required extensions, gRPC, HTTP+JSON) and about clients.
 */
const quick = testAdapter(async () => ({ output: 'done' }));
const held = heldAdapter({ type: 'held' });
let daemon: TestDaemon;
let headers: Record<string, string>;
beforeAll(async () => {
  daemon = await startDaemon({
    extraAdapters: [quick, held.adapter],
    flags: { ...a2aFlags, 'agents.default': 'test' },
  });
  ({ headers } = await tokenOf(daemon));
});
afterAll(() => daemon[Symbol.asyncDispose]());

interface Task {
  id: string;
  contextId: string;
  status: { state: string; timestamp: string };
  artifacts?: unknown[];
  history?: { parts: unknown[] }[];
}
const call = (method: string, params?: unknown) => callRaw(daemon, headers, method, params);
const message = (more: object = {}) => ({
  role: 'ROLE_USER',
  parts: [{ text: 'Hello from TCK' }],
  messageId: crypto.randomUUID(),
  ...more,
});
const send = async (more: object = {}, configuration: object = {}) =>
  (await call('SendMessage', { message: message(more), configuration })).body.result?.['task'] as Task;
const hold = () => send({ metadata: { skill: 'held' } }, { returnImmediately: true });
const reasonOf = ({ body }: RawAnswer) => body.error?.data?.[0]?.reason;
const refused = (code: number, reason: string) => (answer: RawAnswer) => {
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code, message: expect.any(String) } });
  expect(reasonOf(answer)).toBe(reason);
};
const notFound = refused(-32_001, 'TASK_NOT_FOUND');
const unsupported = refused(-32_004, 'UNSUPPORTED_OPERATION');

type Update = Record<string, Record<string, unknown>>;

/** Opens a stream; resolves with its first update, and all of them once it has ended. */
async function open(method: string, params: unknown): Promise<{ first: Update; all: Promise<Update[]> }> {
  const response = await fetch(`${daemon.url}/a2a`, {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'a2a-version': '1.0',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method, params }),
  });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  if (!response.body) throw new Error('The stream has no body');
  const events = readServerSentEvents(response.body) as AsyncGenerator<{ data: { result: Update } }>;
  const { value } = await events.next();
  const first = (value as { data: { result: Update } }).data.result;
  const rest = allOf(events);
  return { first, all: rest.then((updates) => [first, ...updates.map(({ result }) => result)]) };
}
const stream = async (method: string, params: unknown) => (await open(method, params)).all;

const requirements: Record<string, () => Promise<void>> = {
  'CORE-SEND-001': async () => expect(await send()).toMatchObject({ id: expect.stringMatching(/^task_/) }),
  'CORE-SEND-002': async () =>
    unsupported(await call('SendMessage', { message: message({ taskId: (await send()).id }) })),
  'CORE-SEND-003': async () =>
    refused(
      -32_005,
      'CONTENT_TYPE_NOT_SUPPORTED',
    )(
      await call('SendMessage', {
        message: message({ parts: [{ raw: 'dGNr', mediaType: 'application/x-unsupported-tck-type' }] }),
      }),
    ),
  'CORE-STREAM-001, CORE-STREAM-003': async () => {
    const updates = await stream('SendStreamingMessage', { message: message() });
    expect(updates[0]).toHaveProperty('task.id');
    expect(updates.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } });
  },
  'CORE-GET-001': async () => {
    const { id } = await send();
    const { body } = await call('GetTask', { id });
    expect(body.result).toMatchObject({ id, status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{}] });
  },
  'CORE-GET-002': async () => notFound(await call('GetTask', { id: 'tck-nonexistent' })),
  'CORE-LIST-001': async () => {
    const mine = await send();
    const { body } = await call('ListTasks', { pageSize: 100 });
    const known = await daemon.app.database.read.selectFrom('gateway_requests').select('task_id').execute();
    const { tasks } = body.result as { tasks: Task[] };
    const ids = tasks.map(({ id }) => id);
    expect(ids).toContain(mine.id);
    expect(known.map(({ task_id }) => task_id)).toEqual(expect.arrayContaining(ids));
  },
  'CORE-LIST-002, CORE-LIST-003, CORE-LIST-004': async () => {
    const contextId = crypto.randomUUID();
    for (let n = 0; n < 3; n++) await send({ contextId });
    const first = (await call('ListTasks', { contextId, pageSize: 2 })).body.result ?? {};
    const rest = (await call('ListTasks', { contextId, pageSize: 2, pageToken: first['nextPageToken'] })).body
      .result;
    expect(rest?.['nextPageToken']).toBe('');
    const times = [first, rest]
      .flatMap((page) => page?.['tasks'] as Task[])
      .map(({ status }) => status.timestamp);
    expect(times).toHaveLength(3);
    expect(times).toEqual([...times].sort((one, other) => other.localeCompare(one)));
  },
  'CORE-LIST-005': async () => {
    await send();
    const { tasks } = (await call('ListTasks', { includeArtifacts: false })).body.result as { tasks: Task[] };
    expect(tasks.some((task) => 'artifacts' in task)).toBe(false);
    const all = (await call('ListTasks', { includeArtifacts: true })).body.result as { tasks: Task[] };
    expect(all.tasks[0]).toHaveProperty('artifacts');
  },
  'CORE-CANCEL-001': async () => {
    const { body } = await call('CancelTask', { id: (await hold()).id });
    expect(body.result).toMatchObject({ status: { state: 'TASK_STATE_CANCELED' } });
  },
  'CORE-CANCEL-002': async () =>
    refused(-32_002, 'TASK_NOT_CANCELABLE')(await call('CancelTask', { id: (await send()).id })),
  'CORE-CANCEL-003': async () => notFound(await call('CancelTask', { id: 'tck-nonexistent' })),
  'CORE-EXECUTION-MODE-001': async () =>
    expect((await send({}, { returnImmediately: false })).status.state).toBe('TASK_STATE_COMPLETED'),
  'CORE-EXECUTION-MODE-002': async () =>
    expect((await hold()).status.state).toMatch(/^TASK_STATE_(SUBMITTED|WORKING)$/),
  'CORE-ERR-001, CORE-ERR-002': async () => {
    const { body } = await call('SendMessage', { message: { role: 'ROLE_USER', parts: [] } });
    expect(body.error).toMatchObject({
      code: -32_602,
      data: [{ reason: 'INVALID_PARAMS' }, { fieldViolations: expect.any(Array) }],
    });
  },
  'CORE-MULTI-001a, CORE-MULTI-003': async () => {
    const [one, other] = [await send(), await send()];
    expect(one.contextId).not.toBe('');
    expect(one.id).not.toBe(other.id);
  },
  'CORE-MULTI-002a': async () => {
    const answer = await call('SendMessage', { message: message({ contextId: 'x'.repeat(201) }) });
    refused(-32_602, 'INVALID_PARAMS')(answer);
  },
  'CORE-MULTI-004': async () =>
    notFound(await call('SendMessage', { message: message({ taskId: 'tck-nonexistent' }) })),
  'CORE-MULTI-005': async () =>
    unsupported(await call('SendMessage', { message: message({ taskId: (await hold()).id }) })),
  'CORE-MULTI-006': async () =>
    refused(
      -32_602,
      'INVALID_PARAMS',
    )(await call('SendMessage', { message: message({ taskId: (await hold()).id, contextId: 'another' }) })),
  'CORE-HIST-002': async () => {
    const { id } = await send();
    const { result } = (await call('GetTask', { id, historyLength: 1 })).body;
    expect(result?.['history']).toHaveLength(1);
    const none = (await call('GetTask', { id, historyLength: 0 })).body;
    expect(none.result).not.toHaveProperty('history');
  },
  'STREAM-ORDER-001, STREAM-ORDER-002, STREAM-ORDER-003, STREAM-SUB-001, STREAM-SUB-002': async () => {
    const { id } = await hold();
    await held.startedFor(id);
    const both = await Promise.all([open('SubscribeToTask', { id }), open('SubscribeToTask', { id })]);
    await call('CancelTask', { id });
    const [one = [], other = []] = await Promise.all(both.map(({ all }) => all));
    expect(one[0]).toMatchObject({ task: { id } });
    expect(one.slice(1)).toEqual(other.slice(1));
    expect(one.at(-1)).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_CANCELED' } } });
  },
  'STREAM-SUB-003': async () => unsupported(await call('SubscribeToTask', { id: (await send()).id })),
  'STREAM-SUB-004': async () => notFound(await call('SubscribeToTask', { id: 'tck-nonexistent' })),
  'CARD-DISC-001, CARD-PROTO-001, CARD-PROTO-002, CARD-STRUCT-001': async () => {
    const response = await fetch(`${daemon.url}/.well-known/agent-card.json`);
    expect(await response.json()).toMatchObject({
      name: expect.any(String),
      description: expect.any(String),
      version: expect.any(String),
      supportedInterfaces: [
        { url: `${daemon.url}/a2a`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
        { protocolVersion: '0.3' },
      ],
      capabilities: {},
      defaultInputModes: expect.any(Array),
      defaultOutputModes: expect.any(Array),
      skills: [{ id: 'task', name: expect.any(String), description: expect.any(String), tags: ['task'] }],
    });
  },
  'CARD-EXT-001': async () => {
    expect((await callRaw(daemon, {}, 'GetExtendedAgentCard')).status).toBe(401);
    expect((await call('GetExtendedAgentCard')).body.result).toHaveProperty('skills');
  },
  'VER-SERVER-001, VER-CLIENT-002': async () => {
    const { body } = await callRaw(daemon, { ...headers, 'a2a-version': '1.0.3' }, 'ListTasks', {});
    expect(body.result).toHaveProperty('tasks');
  },
  'VER-SERVER-002': async () =>
    refused(
      -32_009,
      'VERSION_NOT_SUPPORTED',
    )(await callRaw(daemon, { ...headers, 'a2a-version': '99.0' }, 'ListTasks', {})),
  'VER-SERVER-003': async () => {
    const params = { message: { ...message(), role: 'user', parts: [{ kind: 'text', text: 'Hello' }] } };
    const { body } = await callRaw(daemon, { ...headers, 'a2a-version': '' }, 'message/send', params);
    expect(body.result).toMatchObject({ kind: 'task', status: { state: 'completed' } });
    const unknown = await callRaw(daemon, { ...headers, 'a2a-version': '' }, 'ListTasks', {});
    expect(unknown.body.error).toMatchObject({
      code: -32_601,
      message: expect.stringContaining('A2A-Version'),
    });
  },
};

describe('A2A 1.0', () => {
  it.each(Object.entries(requirements))('fulfils %s', async (_, check) => check());

  it('answers JSON-RPC that is not valid with its error codes', async () => {
    const codeOf = async (body: string) => (await postRaw(daemon, headers, body)).body.error?.code;
    expect(await codeOf('{')).toBe(-32_700);
    expect(await codeOf('{"jsonrpc":"1.0","id":1,"method":"GetTask"}')).toBe(-32_600);
    expect(await codeOf('[{"jsonrpc":"2.0","id":1,"method":"GetTask"}]')).toBe(-32_600);
    expect(await codeOf('{"jsonrpc":"2.0","method":"GetTask","params":{"id":"x"}}')).toBe(-32_600);
    expect(await codeOf('{"jsonrpc":"2.0","id":1,"method":"message/send"}')).toBe(-32_601);
  });
});
