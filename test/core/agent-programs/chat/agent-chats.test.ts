import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';
import { AgentChats, type AgentChatsDeps } from '../../../../src/core/agent-programs/chat/agent-chats.ts';
import type { ChatOrder } from '../../../../src/core/agent-programs/chat/start-chat.ts';
import { acpAgent } from '../../../../src/core/agents/presets.ts';
import { silentLog } from '../../../../src/core/log.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import { temporaryFolder } from '../../../helpers/daemon.ts';

const script = fileURLToPath(new URL('../../../helpers/agents/scripted-acp.mjs', import.meta.url));
const signal = new AbortController().signal;
const open: AgentChats[] = [];
afterEach(async () => {
  for (const chats of open.splice(0)) await chats.close();
});

function chatsWith(idleMs: number, change: Partial<AgentChatsDeps> = {}): AgentChats {
  const chats = new AgentChats({
    config: { opened: () => ({}), get: () => [] } as never,
    env: { PATH: process.env['PATH'] },
    installation: 'test',
    sandboxes: { run: () => Promise.reject(new Error('there is no sandbox here')) },
    log: silentLog,
    reportBug: (error) => expect(error).toBeUndefined(),
    runtime: systemRuntime,
    idleMs,
    ...change,
  });
  open.push(chats);
  return chats;
}

function orderOf(model?: string): ChatOrder {
  const agent = {
    type: 'toy',
    preset: acpAgent('toy'),
    program: process.execPath,
    args: [script],
    env: {},
    model: undefined,
    maxTokens: undefined,
    allowedVersion: undefined,
    programSetting: undefined,
    isAdded: false,
  };
  return {
    conversationId: 'conv_1',
    program: { agent, path: process.execPath, version: undefined },
    cwd: realpathSync(temporaryFolder()),
    model,
    isSandboxed: false,
    isReadOnly: false,
    sessionId: undefined,
    onSession: () => undefined,
    onNote: () => undefined,
  };
}

it('keeps an agent between turns, and starts another one for another model', async () => {
  const chats = chatsWith(60_000);
  const order = orderOf();
  const { chat } = await chats.open(order, signal);
  await chats.release(order.conversationId);
  expect((await chats.open(order, signal)).chat).toBe(chat);
  const other = await chats.open({ ...order, model: 'large' }, signal);
  expect(other.chat).not.toBe(chat);
  expect(chat.isOver).toBe(true);
});

it('ends an agent that was idle for a while', async () => {
  const chats = chatsWith(1);
  const order = orderOf();
  const { chat } = await chats.open(order, signal);
  await chats.release(order.conversationId);
  await vi.waitFor(() => expect(chat.isOver).toBe(true), { timeout: 10_000 });
  expect((await chats.open(order, signal)).chat).not.toBe(chat);
});

it('gives an agent the files that its start names, for as long as it runs', async () => {
  const chats = chatsWith(60_000);
  const { program, ...order } = orderOf();
  let folder = '';
  const preset = {
    ...program.agent.preset,
    files: { 'policy.toml': 'ask' },
    start: ({ files = '' }: { files?: string | undefined }) => {
      folder = files;
      return { argv: [], env: {} };
    },
  };
  const given = { ...order, program: { ...program, agent: { ...program.agent, preset } } };
  await chats.open(given, signal);
  await chats.release(order.conversationId);
  expect(readFileSync(join(folder, 'policy.toml'), 'utf8')).toBe('ask');
  await chats.end(order.conversationId);
  expect(existsSync(folder)).toBe(false);
});

it('passes on what is found after the end of a sandbox: to the turn that waits for it, else to the log', async () => {
  const logged: object[] = [];
  const chats = chatsWith(60_000, {
    log: { ...silentLog, warn: (fields) => logged.push(fields) },
    sandboxes: {
      run: async ({ program, args, workspace, env, onNote }, start) => {
        const end = await start({ argv: [program, ...args], cwd: workspace, env, isSandbox: false });
        onNote('inner/.git/hooks was renamed');
        return end;
      },
    },
  });
  const heard: string[] = [];
  const order = { ...orderOf(), isSandboxed: true, onNote: (note: string) => heard.push(note) };
  const { conversationId } = order;
  await chats.open(order, signal);
  await chats.release(conversationId);
  await chats.open({ ...order, isReadOnly: true }, signal);
  expect([heard, logged]).toEqual([['inner/.git/hooks was renamed'], []]);
  await chats.release(conversationId);
  await chats.end(conversationId);
  expect([heard.length, logged]).toEqual([1, [{ conversationId, note: 'inner/.git/hooks was renamed' }]]);
});
