import { spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * An agent of the Agent Client Protocol, as a program. It answers `ready`, asks before it runs what `touch` is told to, and
 * counts until it is cancelled. Its arguments change what it does:
 *
 *   --unasked   runs commands without asking
 *   --chatty    never uses a tool
 *   --no-login  refuses every prompt until the file that ACP_LOGIN names exists
 *   --stubborn  runs what was denied
 */
const flags = new Set(process.argv.slice(2));
const sleepers: (() => void)[] = [];
let requests = 0;
const open = new Map<number, (result: Record<string, unknown>) => void>();

interface Message {
  id?: number;
  method?: string;
  params?: { sessionId?: string; cwd?: string; prompt?: { text?: string }[] };
  result?: Record<string, unknown>;
}

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (sessionUpdate: string, fields: object) =>
  send({ method: 'session/update', params: { sessionId, update: { sessionUpdate, ...fields } } });
const say = (text: string) => update('agent_message_chunk', { content: { type: 'text', text } });
const request = (method: string, params: object) =>
  new Promise<Record<string, unknown>>((resolve) => {
    requests++;
    open.set(requests, resolve);
    send({ id: requests, method, params });
  });
const sessionId = `ses-${process.pid}`;
let cwd = process.cwd();

if (flags.has('--version')) {
  process.stdout.write('acp-program 1.2.3\n');
  process.exit(0);
}

async function isAllowed(command: string): Promise<boolean> {
  if (flags.has('--unasked')) return true;
  const { outcome } = await request('session/request_permission', {
    sessionId,
    toolCall: { toolCallId: 'call-1', kind: 'execute', title: command, rawInput: { command } },
    options: [
      { optionId: 'yes', kind: 'allow_once', name: 'Allow' },
      { optionId: 'no', kind: 'reject_once', name: 'Reject' },
    ],
  });
  return flags.has('--stubborn') || (outcome as { optionId?: string }).optionId === 'yes';
}

/** Resolves with the reason why the turn has ended. */
async function prompt(text: string): Promise<string> {
  const command = /touch \S+?(?=[.\s]|$)/.exec(text)?.[0];
  if (command !== undefined && !flags.has('--chatty')) {
    const status = (await isAllowed(command)) ? 'completed' : 'failed';
    if (status === 'completed') spawnSync('/bin/sh', ['-c', command], { cwd });
    update('tool_call', { toolCallId: 'call-1', kind: 'execute', title: command, status });
    say(status === 'completed' ? 'done' : 'denied');
    return 'end_turn';
  }
  if (text.startsWith('Count')) {
    say('1\n2\n');
    await new Promise<void>((resolve) => sleepers.push(resolve));
    return 'cancelled';
  }
  say('ready');
  return 'end_turn';
}

async function answer({ id, method, params = {}, result = {} }: Message): Promise<void> {
  if (method === undefined) return open.get(id ?? 0)?.(result);
  if (method === 'session/cancel') return sleepers.splice(0).forEach((wake) => wake());
  if (method === 'initialize')
    return void send({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } });
  if (method === 'session/new' || method === 'session/load') {
    cwd = params.cwd ?? cwd;
    return void send({ id, result: method === 'session/new' ? { sessionId } : {} });
  }
  if (method !== 'session/prompt') return void send({ id, error: { code: -32601, message: 'Not found' } });
  const { existsSync } = await import('node:fs');
  if (flags.has('--no-login') && !existsSync(process.env['ACP_LOGIN'] ?? ''))
    return void send({ id, error: { code: -32000, message: 'Authentication required' } });
  const stopReason = await prompt(params.prompt?.map(({ text = '' }) => text).join('\n') ?? '');
  send({ id, result: { stopReason } });
}

createInterface({ input: process.stdin }).on('line', (line) => void answer(JSON.parse(line) as Message));
