// An agent of the Agent Client Protocol for tests: what it does is the prompt itself. With `scripted-acp.mjs DIR` the names of
// its sessions are kept in DIR, so that a later process knows them. An answer begins with a name of its process.
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

// In a sandbox, processes have the same number.
const self = randomUUID().slice(0, 8);
const [directory] = process.argv.slice(2);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const say = (sessionId, text) =>
  send({
    method: 'session/update',
    params: { sessionId, update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } } },
  });
const end = (id, stopReason = 'end_turn') => send({ id, result: { stopReason } });
/** Whether the session is one that an earlier process has begun. */
const known = (name) => directory !== undefined && existsSync(join(directory, name));
let open;
let asked = 1000;
const answers = new Map();

async function prompt(id, { sessionId, prompt: parts }) {
  const text = parts.map((part) => part.text).join('');
  const word = text.trim().split('\n').at(-1);
  if (word === 'crash') process.exit(3);
  if (word === 'hang') {
    say(sessionId, 'Begun.');
    open = { id };
    return;
  }
  if (word.startsWith('run ')) {
    const command = word.slice(4);
    const toolCall = {
      toolCallId: `call-${asked}`,
      kind: 'execute',
      title: command,
      status: 'pending',
      rawInput: { command },
    };
    const options = ['allow_once', 'reject_once'].map((kind) => ({ optionId: kind, kind, name: kind }));
    const reply = new Promise((resolve) => answers.set(++asked, resolve));
    send({ id: asked, method: 'session/request_permission', params: { sessionId, toolCall, options } });
    const { outcome } = await reply;
    const isAllowed = outcome.optionId === 'allow_once';
    const update = {
      ...toolCall,
      sessionUpdate: 'tool_call_update',
      status: isAllowed ? 'completed' : 'failed',
      content: [{ type: 'content', content: { type: 'text', text: isAllowed ? 'it ran' : 'refused' } }],
    };
    send({ method: 'session/update', params: { sessionId, update } });
    say(sessionId, isAllowed ? 'Done.' : 'Not done.');
    return end(id);
  }
  say(sessionId, `${self} ${sessionId} ${text}`);
  end(id);
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === 'initialize')
    send({ id, result: { protocolVersion: 1, agentCapabilities: { loadSession: directory !== undefined } } });
  else if (method === 'session/new') {
    const sessionId = `s${directory === undefined ? self : readdirSync(directory).length + 1}`;
    if (directory !== undefined) writeFileSync(join(directory, sessionId), '');
    send({ id, result: { sessionId } });
  } else if (method === 'session/load')
    send(
      known(params.sessionId)
        ? { id, result: {} }
        : { id, error: { code: -32002, message: `Resource not found: ${params.sessionId}` } },
    );
  else if (method === 'session/prompt') void prompt(id, params);
  else if (method === 'session/cancel') {
    if (open) end(open.id, 'cancelled');
    open = undefined;
  } else if (method === undefined) answers.get(id)?.(result);
  else if (id !== undefined) send({ id, error: { code: -32601, message: 'Method not found' } });
});
process.stdin.on('close', () => process.exit(0));
