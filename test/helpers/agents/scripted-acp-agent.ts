import { execFile } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * A program that speaks the Agent Client Protocol and does what its prompt says: it asks for each line `$ COMMAND` and runs
 * it if it may; it runs each line `! COMMAND` without a question; for a line `? WORD` it says its whole prompt. Its answer is
 * the list of what came of them, as JSON.
 */
interface Message {
  id?: number | string;
  method?: string;
  params?: { sessionId?: string; prompt?: { text?: string }[]; cwd?: string };
  result?: { outcome?: { outcome: string; optionId?: string } };
}

let cwd = '/';
let last = 100;
const open = new Map<number | string, (message: Message) => void>();
const send = (message: object) =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const ask = (method: string, params: object) =>
  new Promise<Message>((resolve) => {
    const id = ++last;
    open.set(id, resolve);
    send({ id, method, params });
  });

const run = (command: string) =>
  new Promise<{ exitCode: number; output: string }>((resolve) => {
    execFile('/bin/sh', ['-c', command], { cwd, timeout: 20_000 }, (error, stdout, stderr) =>
      resolve({ exitCode: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` }),
    );
  });

const options = [
  { optionId: 'once', kind: 'allow_once', name: 'Allow' },
  { optionId: 'never', kind: 'reject_once', name: 'Reject' },
];

async function turn(sessionId: string, text: string) {
  const ends: object[] = [];
  let at = 0;
  for (const [, how, command = ''] of text.matchAll(/^([$!?]) (.+)$/gm)) {
    if (how === '?') {
      ends.push({ command, output: text });
      continue;
    }
    const call = { toolCallId: `call_${++at}`, title: command, kind: 'execute', rawInput: { command } };
    if (how === '$') {
      const { result } = await ask('session/request_permission', { sessionId, toolCall: call, options });
      if (result?.outcome?.optionId !== 'once') {
        ends.push({ command, refused: true });
        continue;
      }
    }
    const end = await run(command);
    ends.push({ command, ...end });
    const content = [{ type: 'content', content: { type: 'text', text: end.output } }];
    const update = { sessionUpdate: 'tool_call_update', ...call, status: 'completed', content };
    if (how === '$') send({ method: 'session/update', params: { sessionId, update } });
  }
  const update = {
    sessionUpdate: 'agent_message_chunk',
    content: { type: 'text', text: JSON.stringify(ends) },
  };
  send({ method: 'session/update', params: { sessionId, update } });
}

async function take({ id, method, params = {}, ...message }: Message): Promise<void> {
  if (method === undefined) {
    if (id !== undefined) open.get(id)?.(message);
    return;
  }
  switch (method) {
    case 'initialize':
      return send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
    case 'session/new':
      cwd = params.cwd ?? cwd;
      return send({ id, result: { sessionId: 'scripted' } });
    case 'session/prompt':
      await turn('scripted', params.prompt?.map(({ text = '' }) => text).join('\n') ?? '');
      return send({ id, result: { stopReason: 'end_turn' } });
    default:
      if (id !== undefined) send({ id, error: { code: -32_601, message: 'Method not found' } });
  }
}

if (process.argv.includes('--version')) {
  process.stdout.write('1.0.0\n');
} else {
  for await (const line of createInterface({ input: process.stdin })) void take(JSON.parse(line) as Message);
}
