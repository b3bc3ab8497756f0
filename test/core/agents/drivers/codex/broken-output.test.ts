import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createCodexDriver } from '../../../../../src/core/agents/drivers/codex/codex-driver.ts';
import { scenariosOf, transcriptPath } from '../../../../helpers/agents/transcripts.ts';
import { order } from '../../../../helpers/agents/codex-peer.ts';

const AGENT = 'codex-app-server';
const CUTS = 20;

/** What Codex wrote, in the parts before the first and between the following prompts. */
function readParts(scenario: string): string[][] {
  const parts: string[][] = [[]];
  for (const line of readFileSync(transcriptPath(AGENT, scenario), 'utf8').split('\n').filter(Boolean)) {
    const event = JSON.parse(line) as { dir: string; line: string };
    if (event.dir === 'in' && event.line.includes('"turn/start"')) parts.push([]);
    if (event.dir === 'out') parts.at(-1)?.push(event.line);
  }
  return parts;
}

/** Plays the parts to a driver and resolves with the outcomes, once everything has settled. */
async function play(parts: string[][], decision: 'allow' | 'deny'): Promise<string[]> {
  const send = (message: object) => {
    const { id, method } = message as { id?: unknown; method?: string };
    // The recordings are of a driver that did not ask for the settings.
    if (method === 'config/read') driver.receive(JSON.stringify({ id, error: { code: -32601 } }));
  };
  const driver = createCodexDriver(send, {
    onSession: () => undefined,
    onText: () => undefined,
    onThinking: () => undefined,
    onCall: () => undefined,
    onPlan: () => undefined,
    onUsage: () => undefined,
    onStep: () => undefined,
    onNote: () => undefined,
    ask: () => Promise.resolve({ decision }),
  });
  const opened = driver.open(order);
  const ends = [];
  for (const [index, part] of parts.entries()) {
    if (index > 0) ends.push(driver.prompt('Go.'));
    for (const line of part) {
      driver.receive(line);
      // Answers are written in between.
      for (let i = 0; i < 12; i++) await Promise.resolve();
    }
  }
  driver.close({ code: 0, signal: null }, '');
  await opened;
  return (await Promise.all(ends)).map(({ outcome }) => outcome);
}

const swap = (value: unknown): unknown =>
  Array.isArray(value)
    ? { 0: swap(value[0]) }
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, swap(entry)]))
      : typeof value === 'string'
        ? [null, 7]
        : '__proto__';
const swapIn = (line: string, ...names: string[]) => {
  const message = JSON.parse(line) as Record<string, unknown>;
  return JSON.stringify({
    ...message,
    ...Object.fromEntries(names.filter((name) => name in message).map((name) => [name, swap(message[name])])),
  });
};
const garble: ((line: string) => string)[] = [
  (line) => line.slice(0, line.length / 2),
  (line) => line.replace(/"(params|result)":.*/, '"$1":null}'),
  (line) => line.replace(/"(item|turn|error|tokenUsage|rateLimits|thread)":\{/, '"$1":[],"_":{'),
  (line) => swapIn(line, 'params', 'result', 'error'),
  (line) => swapIn(line, 'id', 'method'),
];

describe.skipIf(scenariosOf(AGENT).length === 0)('output of Codex that is broken', () => {
  it('is whole at first', async () => {
    expect(await play(readParts('shell-allowed'), 'allow')).toEqual(['completed']);
    expect(await play(readParts('two-turns'), 'allow')).toEqual(['completed', 'completed']);
  });

  it.each(scenariosOf(AGENT))('settles everything wherever %s is cut', async (scenario) => {
    const parts = readParts(scenario);
    const length = parts.flat().join('\n').length;
    for (let cut = 0; cut < CUTS; cut++) {
      let left = Math.floor((length * cut) / CUTS);
      const kept = parts.map((part) =>
        part.flatMap((line) => {
          const text = line.slice(0, Math.max(0, left));
          left -= line.length + 1;
          return text === '' ? [] : [text];
        }),
      );
      const outcomes = await play(kept, 'allow');
      // The last turn has lost its end.
      if (cut < CUTS - 1) expect(outcomes.at(-1)).toBe('failed');
    }
  });

  it.each(scenariosOf(AGENT))('settles everything whichever line of %s is garbled', async (scenario) => {
    const parts = readParts(scenario);
    const seen = new Map<string, number>();
    for (const [index, part] of parts.entries())
      for (const [number, line] of part.entries()) {
        const kind = /"method":"[^"]*"/.exec(line)?.[0] ?? `answer ${index}`;
        seen.set(kind, (seen.get(kind) ?? 0) + 1);
        // Hundreds of deltas break alike.
        if ((seen.get(kind) ?? 0) > 3) continue;
        for (const change of garble) {
          const broken = parts.with(index, part.with(number, change(line)));
          expect(await play(broken, 'deny')).toHaveLength(parts.length - 1);
        }
      }
  });
});
