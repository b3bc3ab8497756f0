import { existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { methods } from '@agentclientprotocol/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type AcpEditor,
  choose,
  editorOf,
  failure,
  isCall,
  promptText,
  textOf,
} from '../../../helpers/acp-editor.ts';
import { type ModelDaemon, startModelDaemon } from '../../../helpers/model-daemon.ts';
import { callsTools, says } from '../../../helpers/model-server.ts';

const { session } = methods.agent;
let rig: ModelDaemon;
let editor: AcpEditor;
let folder: string;
beforeAll(async () => {
  rig = await startModelDaemon();
});
afterAll(() => rig[Symbol.asyncDispose]());
beforeEach(async () => {
  rig.model.script = says('Hel', 'lo');
  rig.model.asked.length = 0;
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-acp-')));
  editor = await editorOf(rig.daemon);
});
afterEach(() => editor[Symbol.asyncDispose]());

const begin = async (of = editor) =>
  (await of.agent.request(session.new, { cwd: folder, mcpServers: [] })).sessionId;
const prompt = (sessionId: string, text: string, of = editor) => promptText(of, sessionId, text);
const write = callsTools([[{ name: 'write_file', args: { path: 'a.txt', content: 'one\n' } }]]);

describe('sessions whose turn waits for a decision', () => {
  /** A session whose editor went away while it was asked. */
  const beginWaiting = async () => {
    rig.model.script = write;
    const gone = await editorOf(rig.daemon);
    gone.answer = () => new Promise(() => undefined);
    const sessionId = await begin(gone);
    const turn = failure(prompt(sessionId, 'Write', gone));
    await gone.saw(isCall('pending'));
    await gone[Symbol.asyncDispose]();
    await turn;
    return sessionId;
  };
  const pending = async () => (await rig.daemon.client.approvals.list()).approvals;
  const load = (sessionId: string) =>
    editor.agent.request(session.load, { sessionId, cwd: folder, mcpServers: [] });

  it('ask the editor that opens them, and show how the turn goes on', async () => {
    const sessionId = await beginWaiting();
    await load(sessionId);
    await editor.saw(({ sessionUpdate }) => sessionUpdate === 'session_info_update');
    expect(editor.asked).toMatchObject([
      { sessionId, toolCall: { title: 'Write `a.txt`', kind: 'edit', rawInput: { path: 'a.txt' } } },
    ]);
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
    expect(textOf(editor.updates)).toBe('All done');
    const calls = editor.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call'));
    expect(calls.map((update) => 'status' in update && update.status)).toEqual([
      'in_progress',
      'pending',
      'in_progress',
      'completed',
    ]);
    expect(new Set(calls.map((update) => 'toolCallId' in update && update.toolCallId)).size).toBe(1);
    rig.model.script = says('Again');
    expect(await prompt(sessionId, 'Next')).toEqual({ stopReason: 'end_turn' });
  });

  it('ask about each call, and show what the person denies', async () => {
    rig.model.script = callsTools([
      [{ name: 'write_file', args: { path: 'a.txt', content: 'one\n' } }],
      [{ name: 'write_file', args: { path: 'b.txt', content: 'two\n' } }],
    ]);
    const gone = await editorOf(rig.daemon);
    gone.answer = () => new Promise(() => undefined);
    const sessionId = await begin(gone);
    const turn = failure(prompt(sessionId, 'Write', gone));
    await gone.saw(isCall('pending'));
    await gone[Symbol.asyncDispose]();
    await turn;
    editor.answer = () => choose(editor.asked.length === 1 ? 'deny' : 'allow-once');
    await load(sessionId);
    await editor.saw(({ sessionUpdate }) => sessionUpdate === 'session_info_update');
    expect(editor.asked.map(({ toolCall }) => toolCall.title)).toEqual(['Write `a.txt`', 'Write `b.txt`']);
    expect(editor.updates.some(isCall('failed'))).toBe(true);
    expect(existsSync(join(folder, 'a.txt'))).toBe(false);
    expect(readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('two\n');
  });

  it('withdraw the question after a decision elsewhere, and show the rest', async () => {
    const sessionId = await beginWaiting();
    const withdrawn = Promise.withResolvers<void>();
    editor.answer = (_question, signal) => {
      signal.addEventListener('abort', () => withdrawn.resolve());
      return new Promise(() => undefined);
    };
    await editor.agent.request(session.resume, { sessionId, cwd: folder });
    await editor.saw(isCall('pending'));
    const id = (await pending())[0]?.id ?? '';
    await rig.daemon.client.approvals.decide({ params: { id }, body: { decision: 'allow-once' } });
    await withdrawn.promise;
    await editor.saw(({ sessionUpdate }) => sessionUpdate === 'session_info_update');
    expect(textOf(editor.updates)).toBe('All done');
  });

  it.each([
    ['goes away', () => editor[Symbol.asyncDispose](), 1],
    ['opens them again', (sessionId: string) => load(sessionId), 1],
    ['cancels', (sessionId: string) => editor.agent.notify(session.cancel, { sessionId }), 0],
    ['closes them', (sessionId: string) => editor.agent.request(session.close, { sessionId }), 0],
  ])('keep waiting or end when the editor %s', async (_, act, left) => {
    const sessionId = await beginWaiting();
    editor.answer = () => new Promise(() => undefined);
    await load(sessionId);
    await editor.saw(isCall('pending'));
    await act(sessionId);
    await vi.waitFor(async () => expect(await pending()).toHaveLength(left), 20_000);
    const { messages } = await rig.daemon.client.conversations.get({ params: { id: sessionId } });
    expect(messages.at(-1)?.status).toBe(left === 1 ? 'waiting' : 'interrupted');
    await rig.daemon.client.conversations.delete({ params: { id: sessionId } });
  });

  it('keep waiting where the editor takes its question back', async () => {
    const sessionId = await beginWaiting();
    const answered = Promise.withResolvers<void>();
    editor.answer = () => {
      answered.resolve();
      return { outcome: 'cancelled' };
    };
    await load(sessionId);
    await answered.promise;
    rig.model.script = says('Instead');
    expect(await prompt(sessionId, 'Something else')).toEqual({ stopReason: 'end_turn' });
    expect(textOf(editor.updates)).toBe('Instead');
    expect(await pending()).toEqual([]);
    expect(existsSync(join(folder, 'a.txt'))).toBe(false);
  });
});
