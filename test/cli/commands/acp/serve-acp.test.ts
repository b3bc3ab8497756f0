import { on } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable, Writable } from 'node:stream';
import { methods, ndJsonStream, type RequestError } from '@agentclientprotocol/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, openEditor, textOf } from '../../../helpers/acp-editor.ts';
import { callsTools, type ModelServer, says, startModelServer } from '../../../helpers/model-server.ts';
import { ensureBuilt, SvcHome } from '../../svc-binary.ts';

const { session } = methods.agent;
let home: SvcHome;
let model: ModelServer;
beforeAll(async () => {
  ensureBuilt();
  model = await startModelServer();
  home = await SvcHome.create();
  const configure = [
    'providers',
    'configure',
    'ollama',
    '--base-url',
    model.url,
    '--default-model',
    'test-model',
    '--no-key',
  ];
  expect(await home.svc(['--autostart', ...configure])).toMatchObject({ code: 0 });
}, 180_000);
afterAll(async () => {
  await home[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function openProgram(args: string[] = []) {
  const running = home.start(['acp', ...args], { isOpen: true });
  const { stdin, stdout } = running;
  const stream = ndJsonStream(
    Writable.toWeb(stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(stdout) as ReadableStream<Uint8Array>,
  );
  const editor = await openEditor((app) => app.connect(stream));
  return { editor, running, stdin };
}
const prompt = (sessionId: string, text: string) => ({
  sessionId,
  prompt: [{ type: 'text' as const, text }],
});

describe('svc acp', () => {
  it('serves an editor until that closes its input, and exits with 0', async () => {
    const { editor, running, stdin } = await openProgram();
    const { sessionId } = await editor.agent.request(session.new, { cwd: home.folder, mcpServers: [] });
    const answer = await editor.agent.request(session.prompt, prompt(sessionId, 'Hello'));
    expect(answer).toEqual({ stopReason: 'end_turn' });
    expect(textOf(editor.updates)).toBe('Hello');
    stdin.end();
    expect(await running).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('says that the daemon stopped in the middle of a turn, and continues with the next daemon', async () => {
    const { editor, running, stdin } = await openProgram();
    const { sessionId } = await editor.agent.request(session.new, { cwd: home.folder, mcpServers: [] });
    model.script = (reply) => reply.piece('Half');
    const turn = editor.agent.request(session.prompt, prompt(sessionId, 'Talk')).then(
      () => undefined,
      (error: unknown) => error as RequestError,
    );
    await editor.saw(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    expect(await home.svc(['daemon', 'restart'])).toMatchObject({ code: 0 });
    expect(await turn).toMatchObject({
      code: -32603,
      message: expect.stringMatching(/daemon.*Send "continue"/),
    });
    model.script = says('Whole');
    const next = await editor.agent.request(session.prompt, prompt(sessionId, 'continue'));
    expect(next).toEqual({ stopReason: 'end_turn' });
    expect(textOf(editor.updates)).toBe('HalfWhole');
    stdin.end();
    expect(await running).toMatchObject({ exitCode: 0 });
  });

  it('leaves a call waiting when its editor exits, and asks the next editor about it, also after a restart', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-acp-')));
    model.script = callsTools([[{ name: 'write_file', args: { path: 'kept.txt', content: 'kept\n' } }]]);
    const first = await openProgram();
    const { sessionId } = await first.editor.agent.request(session.new, { cwd: folder, mcpServers: [] });
    const asked = Promise.withResolvers<void>();
    first.editor.answer = () => {
      asked.resolve();
      return new Promise(() => undefined);
    };
    const turn = failure(first.editor.agent.request(session.prompt, prompt(sessionId, 'Write')));
    await asked.promise;
    first.stdin.end();
    expect(await first.running).toMatchObject({ exitCode: 0, stderr: '' });
    await turn;
    expect(await home.svc(['daemon', 'restart'])).toMatchObject({ code: 0 });
    const next = await openProgram();
    await next.editor.agent.request(session.load, { sessionId, cwd: folder, mcpServers: [] });
    await next.editor.saw(({ sessionUpdate }) => sessionUpdate === 'session_info_update');
    expect(next.editor.asked).toMatchObject([{ sessionId, toolCall: { title: 'Write `kept.txt`' } }]);
    expect(readFileSync(join(folder, 'kept.txt'), 'utf8')).toBe('kept\n');
    expect(textOf(next.editor.updates)).toBe('All done');
    next.stdin.end();
    expect(await next.running).toMatchObject({ exitCode: 0 });
  });

  it('survives whatever comes in, and answers it with errors of the protocol', async () => {
    const running = home.start(['acp'], { isOpen: true });
    const answers: { id?: unknown; error?: { code: number } }[] = [];
    const lines = createInterface({ input: running.stdout });
    const write = async (sent: string[], lastId: number) => {
      running.stdin.write(`${sent.join('\n')}\n`);
      for await (const [line] of on(lines, 'line') as AsyncIterable<[string]>) {
        const answer = JSON.parse(line) as (typeof answers)[number];
        answers.push(answer);
        if (answer.id === lastId) return;
      }
    };
    const hostile = [
      'not json',
      '[]',
      '[{"jsonrpc":"2.0","id":1,"method":"initialize"}]',
      '"text"',
      '{"jsonrpc":"2.0"}',
      '\u0000\u0001',
      '{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}',
      '{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"x"}}',
      '{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":99}}',
    ];
    await write(hostile, 4);
    const afterwards = [
      '{"jsonrpc":"2.0","id":5,"method":"session/new","params":{"cwd":7}}',
      '{"jsonrpc":"2.0","id":6,"method":"session/prompt","params":{"sessionId":"../../x","prompt":[]}}',
      '{"jsonrpc":"2.0","id":8,"method":"no/such","params":null}',
      '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"none"}}',
      '{"jsonrpc":"2.0","method":"session/cancel","params":7}',
      '{"jsonrpc":"2.0","id":99,"result":{"outcome":{"outcome":"selected","optionId":"allow-always"}}}',
      '{"__proto__":{"id":9},"constructor":1}',
      '{"jsonrpc":"2.0","id":7,"method":"session/load","params":{"sessionId":"conv_of_another","cwd":"/","mcpServers":[]}}',
    ];
    await write(afterwards, 7);
    await write(['{"jsonrpc":"2.0","id":10,"method":"session/list","params":{}}'], 10);
    running.stdin.end();
    expect((await running).exitCode).toBe(0);
    const codes = new Map(answers.map(({ id, error }) => [id, error?.code]));
    expect(
      [...codes]
        .filter(([id]) => typeof id === 'number')
        .sort(([one], [other]) => Number(one) - Number(other)),
    ).toEqual([
      [2, -32600],
      [3, -32602],
      [4, undefined],
      [5, -32602],
      [6, -32002],
      [7, -32002],
      [8, -32601],
      [10, undefined],
    ]);
  });
});
