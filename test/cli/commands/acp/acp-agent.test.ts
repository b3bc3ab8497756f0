import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type McpServer, methods } from '@agentclientprotocol/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
import { addUser } from '../../../helpers/users.ts';

const { session, authenticate } = methods.agent;
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

describe('an editor', () => {
  it('learns what svc can do, and needs no sign-in where there is a credential', async () => {
    await using signedOut = await editorOf(rig.daemon, {
      connection: {
        client: rig.daemon.client,
        decide: () => Promise.reject(new Error('unused')),
        target: { url: rig.daemon.url, isLocal: true } as never,
        credential: undefined,
      },
    });
    const { initialized } = await editorOf(rig.daemon);
    expect(initialized).toMatchObject({
      protocolVersion: 1,
      agentInfo: { name: 'svc', version: '1.2.3' },
      authMethods: [],
      agentCapabilities: { loadSession: true, promptCapabilities: { embeddedContext: true, image: false } },
    });
    expect(signedOut.initialized.authMethods).toMatchObject([{ id: 'svc-auth-login' }]);
    const { agent } = signedOut;
    expect(await agent.request(authenticate, { methodId: 'svc-auth-login' })).toEqual({});
    expect(await failure(agent.request(authenticate, { methodId: 'other' }))).toMatchObject({ code: -32602 });
  });

  it('gets the answer in pieces, and its session is a conversation in its directory', async () => {
    const id = await begin();
    expect(await prompt(id, 'Say hello')).toEqual({ stopReason: 'end_turn' });
    expect(textOf(editor.updates)).toBe('Hello');
    const { conversation, messages } = await rig.daemon.client.conversations.get({ params: { id } });
    expect(conversation.cwd).toBe(folder);
    expect(messages.map(({ content }) => content)).toEqual(['Say hello', 'Hello']);
    expect(editor.updates).toContainEqual(
      expect.objectContaining({ sessionUpdate: 'session_info_update', title: conversation.title }),
    );
  });

  it('sees the thoughts of the model apart from its answer', async () => {
    rig.model.script = (reply) => {
      reply.thought('Let me think.');
      reply.piece('Done');
      reply.end();
    };
    await prompt(await begin(), 'Think');
    expect(textOf(editor.updates, 'agent_thought_chunk')).toBe('Let me think.');
    expect(textOf(editor.updates)).toBe('Done');
  });

  it('attaches embedded files and names links by their path in the directory', async () => {
    const sessionId = await begin();
    await editor.agent.request(session.prompt, {
      sessionId,
      prompt: [
        { type: 'text', text: 'Compare ' },
        { type: 'resource', resource: { uri: `file://${folder}/a%20b.ts`, text: 'const a = 1;\n' } },
        { type: 'text', text: ' with ' },
        { type: 'resource_link', name: 'c.ts', uri: `file://${folder}/src/c.ts#L3` },
        { type: 'resource_link', name: 'web', uri: 'https://example.com/x' },
      ],
    });
    const sent = rig.model.asked.at(-1)?.body.messages.at(-1)?.content;
    expect(sent).toContain(
      'Compare `a b.ts` with `src/c.ts#L3``https://example.com/x`\n\nAttached file: `a b.ts`\n\n```ts\nconst a = 1;\n```',
    );
  });

  it.each([
    [{ type: 'image', data: 'aGk=', mimeType: 'image/png' } as const, 'images'],
    [{ type: 'audio', data: 'aGk=', mimeType: 'audio/wav' } as const, 'audio'],
    [{ type: 'resource', resource: { uri: 'file:///a', blob: 'aGk=' } } as const, 'binary resources'],
    [{ type: 'text', text: '  ' } as const, 'empty'],
  ])('gets an error for a prompt with %o', async (block, words) => {
    const sessionId = await begin();
    const error = await failure(editor.agent.request(session.prompt, { sessionId, prompt: [block] }));
    expect(error).toMatchObject({ code: -32602, message: expect.stringContaining(words) });
    expect(rig.model.asked).toEqual([]);
  });

  it('is asked with the diff of a change, and the call runs once its person allows it', async () => {
    writeFileSync(join(folder, 'a.txt'), 'zero\n');
    rig.model.script = write;
    expect(await prompt(await begin(), 'Write')).toEqual({ stopReason: 'end_turn' });
    const [question] = editor.asked;
    expect(question?.options.map(({ kind }) => kind)).toEqual(['allow_once', 'allow_always', 'reject_once']);
    expect(question?.toolCall).toMatchObject({
      title: 'Write `a.txt`',
      kind: 'edit',
      status: 'pending',
      locations: [{ path: join(folder, 'a.txt') }],
      rawInput: { path: 'a.txt', content: 'one\n' },
    });
    expect(question?.toolCall.content).toContainEqual({
      type: 'diff',
      path: join(folder, 'a.txt'),
      oldText: 'zero\n',
      newText: 'one\n',
    });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
    const calls = editor.updates.filter(({ sessionUpdate }) => sessionUpdate.startsWith('tool_call'));
    expect(calls.map((update) => 'status' in update && update.status)).toEqual([
      'in_progress',
      'pending',
      'in_progress',
      'completed',
    ]);
  });

  it('shows a call that its person denied as failed, and the turn continues', async () => {
    rig.model.script = write;
    editor.answer = () => choose('deny');
    expect(await prompt(await begin(), 'Write')).toEqual({ stopReason: 'end_turn' });
    expect(editor.updates.some(isCall('failed'))).toBe(true);
    expect(textOf(editor.updates)).toBe('All done');
  });

  it('withdraws its question after a decision elsewhere', async () => {
    rig.model.script = write;
    const withdrawn = Promise.withResolvers<void>();
    editor.answer = (_question, signal) => {
      signal.addEventListener('abort', () => withdrawn.resolve());
      return new Promise(() => undefined);
    };
    const turn = prompt(await begin(), 'Write');
    await editor.saw(isCall('pending'));
    const { approvals } = await rig.daemon.client.approvals.list();
    const id = approvals[0]?.id ?? '';
    await rig.daemon.client.approvals.decide({ params: { id }, body: { decision: 'allow-once' } });
    expect(await turn).toEqual({ stopReason: 'end_turn' });
    await withdrawn.promise;
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('one\n');
  });

  it('cancels a turn that waits for its decision', async () => {
    rig.model.script = write;
    const sessionId = await begin();
    editor.answer = async () => {
      await editor.agent.notify(session.cancel, { sessionId });
      return { outcome: 'cancelled' };
    };
    expect(await prompt(sessionId, 'Write')).toEqual({ stopReason: 'cancelled' });
    const { approvals } = await rig.daemon.client.approvals.list();
    expect(approvals).toEqual([]);
    rig.model.script = says('Again');
    expect(await prompt(sessionId, 'Next')).toEqual({ stopReason: 'end_turn' });
  });

  it('cancels a reply in its middle and keeps what there was', async () => {
    rig.model.script = (reply) => reply.piece('Half');
    const sessionId = await begin();
    const turn = prompt(sessionId, 'Talk');
    await editor.saw(({ sessionUpdate }) => sessionUpdate === 'agent_message_chunk');
    const busy = await failure(prompt(sessionId, 'And more'));
    expect(busy).toMatchObject({ code: -32600 });
    await editor.agent.notify(session.cancel, { sessionId });
    expect(await turn).toEqual({ stopReason: 'cancelled' });
    const { messages } = await rig.daemon.client.conversations.get({ params: { id: sessionId } });
    expect(messages.at(-1)).toMatchObject({ role: 'assistant', content: 'Half', status: 'interrupted' });
  });

  it.each([
    ['length', 'max_tokens'],
    ['content_filter', 'refusal'],
  ])('learns that an answer ended by %s', async (reason, stopReason) => {
    rig.model.script = (reply) => {
      reply.piece('Cut');
      reply.end(reason);
    };
    expect(await prompt(await begin(), 'Talk')).toEqual({ stopReason });
  });

  it('learns why a turn failed', async () => {
    rig.model.script = (reply) => reply.json(401, { error: { message: 'No such key' } });
    const error = await failure(prompt(await begin(), 'Talk'));
    expect(error).toMatchObject({ code: -32603, data: { code: 'AUTH' } });
  });

  it('chooses the mode of the next turns', async () => {
    const { sessionId, modes } = await editor.agent.request(session.new, { cwd: folder, mcpServers: [] });
    expect(modes?.currentModeId).toBe('policy');
    await editor.agent.request(session.setMode, { sessionId, modeId: 'full' });
    rig.model.script = write;
    await prompt(sessionId, 'Write');
    expect(editor.asked).toEqual([]);
    expect(editor.updates).toContainEqual(
      expect.objectContaining({
        status: 'completed',
        content: [{ type: 'diff', path: join(folder, 'a.txt'), oldText: null, newText: 'one\n' }],
      }),
    );
    expect(await failure(editor.agent.request(session.setMode, { sessionId, modeId: 'x' }))).toMatchObject({
      code: -32602,
    });
  });

  it('summarizes the conversation on /compact', async () => {
    const sessionId = await begin();
    await prompt(sessionId, 'Say hello');
    expect(await prompt(sessionId, '/compact the names')).toEqual({ stopReason: 'end_turn' });
    expect(textOf(editor.updates)).toMatch(/Compacted: .* tokens/);
    expect(editor.updates).toContainEqual(
      expect.objectContaining({ sessionUpdate: 'available_commands_update' }),
    );
  });
});

describe('sessions of an editor', () => {
  it('are listed with those of svc chat, by directory, page by page', async () => {
    const first = await begin();
    const { conversation } = await rig.daemon.client.conversations.create({ body: { cwd: folder } });
    const { sessions, nextCursor } = await editor.agent.request(session.list, { cwd: folder });
    expect(sessions.map(({ sessionId }) => sessionId).sort()).toEqual([first, conversation.id].sort());
    expect(sessions[0]).toMatchObject({ cwd: folder });
    expect(nextCursor).toBeUndefined();
    expect(await failure(editor.agent.request(session.list, { cursor: '-1' }))).toMatchObject({
      code: -32602,
    });
  });

  it('are loaded with what was said and what the tools did, and go on', async () => {
    rig.model.script = write;
    const sessionId = await begin();
    await prompt(sessionId, 'Write');
    await using other = await editorOf(rig.daemon);
    await other.agent.request(session.load, { sessionId, cwd: folder, mcpServers: [] });
    expect(textOf(other.updates, 'user_message_chunk')).toBe('Write');
    expect(textOf(other.updates)).toBe('All done');
    expect(other.updates).toContainEqual(
      expect.objectContaining({ sessionUpdate: 'tool_call', title: 'Write `a.txt`', status: 'completed' }),
    );
    rig.model.script = says('Again');
    expect(await prompt(sessionId, 'Next', other)).toEqual({ stopReason: 'end_turn' });
    await using third = await editorOf(rig.daemon);
    await third.agent.request(session.resume, { sessionId, cwd: folder });
    expect(third.updates).toEqual([]);
  });

  it('run side by side in two editors', async () => {
    await using other = await editorOf(rig.daemon);
    rig.model.script = (reply, { body }) =>
      says(`Re: ${String(body.messages.at(-1)?.content)}`)(reply, { body, path: '', headers: {} });
    const [one, two] = await Promise.all([begin(), begin(other)]);
    await Promise.all([prompt(one, 'one'), prompt(two, 'two', other)]);
    expect([textOf(editor.updates), textOf(other.updates)]).toEqual([
      expect.stringContaining('one'),
      expect.stringContaining('two'),
    ]);
  });

  it('are not opened in another directory, and not found where they are not', async () => {
    const sessionId = await begin();
    const open = (id: string, cwd: string) =>
      failure(editor.agent.request(session.load, { sessionId: id, cwd, mcpServers: [] }));
    expect(await open(sessionId, '/')).toMatchObject({
      code: -32602,
      message: expect.stringContaining(folder),
    });
    expect(await open('conv_none', folder)).toMatchObject({ code: -32002 });
    expect(await open('..', folder)).toMatchObject({ code: -32602 });
    expect(await open(sessionId, 'relative')).toMatchObject({ code: -32602 });
    expect(await failure(prompt('conv_none', 'Hello'))).toMatchObject({ code: -32002 });
  });

  it('of other users do not exist', async () => {
    const sessionId = await begin();
    const { client } = await addUser(rig.daemon, 'ann');
    await using theirs = await editorOf({ client, url: rig.daemon.url });
    const { agent } = theirs;
    const where = { sessionId, cwd: folder };
    for (const attempt of [
      agent.request(session.load, { ...where, mcpServers: [] }),
      agent.request(session.resume, where),
      prompt(sessionId, 'Hello', theirs),
    ])
      expect(await failure(attempt)).toMatchObject({ code: -32002 });
    await agent.request(session.delete, { sessionId });
    expect((await agent.request(session.list, { cwd: folder })).sessions).toEqual([]);
    const { conversation } = await rig.daemon.client.conversations.get({ params: { id: sessionId } });
    expect(conversation.messageCount).toBe(0);
  });

  it('without the right to choose a directory work elsewhere, and say so', async () => {
    const { client } = await addUser(rig.daemon, 'bob');
    await using theirs = await editorOf({ client, url: rig.daemon.url });
    await prompt(await begin(theirs), 'Hello', theirs);
    expect(textOf(theirs.updates)).toContain(`do not work in ${folder}`);
  });

  it('end when they are closed, and are gone when they are deleted', async () => {
    const sessionId = await begin();
    await editor.agent.request(session.close, { sessionId });
    expect(await failure(prompt(sessionId, 'Hello'))).toMatchObject({ code: -32002 });
    await editor.agent.request(session.delete, { sessionId });
    await expect(rig.daemon.client.conversations.get({ params: { id: sessionId } })).rejects.toMatchObject({
      status: 404,
    });
  });

  it('say that MCP servers of the editor are not used', async () => {
    await using other = await editorOf(rig.daemon, { capabilities: { session: { notices: {} } } });
    const mcpServers: McpServer[] = [{ name: 'files', command: '/bin/false', args: [], env: [] }];
    const { sessionId } = await other.agent.request(session.new, { cwd: folder, mcpServers });
    await prompt(sessionId, 'Hello', other);
    expect(other.updates[0]).toMatchObject({
      sessionUpdate: 'notice',
      title: expect.stringContaining('files'),
    });
    expect(other.logged).toHaveLength(1);
  });
});
