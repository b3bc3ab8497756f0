import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuOfProcess } from '../cpu.ts';

/**
 * An agent of the Agent Client Protocol that works for four seconds, as long as the shortest runs of real ones, changes a file, and says what a model would: many short
 * pieces. The last one is the CPU that it and its sandbox have used, in milliseconds.
 */
const PIECES = 200;
const PAUSE_MS = 20;
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const results: Record<string, object> = {
  initialize: { protocolVersion: 1, agentCapabilities: {} },
  'session/new': { sessionId: 's1' },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method = '' } = JSON.parse(line) as { id?: number; method?: string };
  if (method === 'session/prompt') {
    for (let piece = 1; piece <= PIECES; piece++) {
      await delay(PAUSE_MS);
      if (piece === PIECES) writeFileSync('file-0.txt', `${Date.now()}\n`);
      const text = piece < PIECES ? `word ${piece} ` : ` ${cpuOfProcess() + cpuOfSandbox()}`;
      const content = { type: 'text', text };
      const update = { sessionUpdate: 'agent_message_chunk', content };
      send({ method: 'session/update', params: { sessionId: 's1', update } });
    }
    send({ id, result: { stopReason: 'end_turn' } });
  } else if (id !== undefined) send({ id, result: results[method] ?? {} });
}

/** The first process in a sandbox is the sandbox itself, which nothing waits for outside. */
function cpuOfSandbox(): number {
  if (readFileSync('/proc/1/comm', 'utf8').trim() !== 'bwrap') return 0;
  return Number(readFileSync('/proc/1/schedstat', 'utf8').split(' ')[0]) / 1e6;
}
