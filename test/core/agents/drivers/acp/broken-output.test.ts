import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createAcpDriver } from '../../../../../src/core/agents/drivers/acp/acp-driver.ts';
import type { DriverListener } from '../../../../../src/core/agents/drivers/driver.ts';
import { order } from '../../../../helpers/agents/acp-agent.ts';
import { readTranscript, recordedOutput } from '../../../../helpers/agents/transcripts.ts';
import { hasSharedFixtures } from '../../../../helpers/shared-fixture.ts';

const listener: DriverListener = {
  onSession: () => undefined,
  onText: () => undefined,
  onThinking: () => undefined,
  onCall: () => undefined,
  onPlan: () => undefined,
  onUsage: () => undefined,
  onStep: () => undefined,
  onNote: () => undefined,
  ask: () => Promise.resolve({ decision: 'allow' }),
};

/** Feeds lines to a driver and closes it: what came of the session. */
async function feed(lines: readonly string[], mode: string | undefined) {
  const driver = createAcpDriver(() => undefined, listener);
  const ended = driver
    .open({ ...order, mode })
    .then(async (opened) => ('failure' in opened ? opened : driver.prompt('go')));
  for (const line of lines) {
    driver.receive(line);
    await setImmediate();
  }
  driver.close({ code: 1, signal: null }, '');
  return ended;
}

const crashed = expect.stringMatching('agent_crash') as unknown;

describe.skipIf(!hasSharedFixtures).each(['acp-gemini', 'acp-opencode', 'acp-claude', 'acp-codex'])(
  'the output of %s',
  (agent) => {
    const { mode } = hasSharedFixtures ? readTranscript(agent, 'edit-file') : {};
    const lines = hasSharedFixtures ? recordedOutput(agent, 'edit-file') : [];
    const prompted = lines.findIndex((line) => line.includes('"stopReason"'));

    it('may end anywhere, in the middle of a line too', async () => {
      expect(await feed(lines, mode)).toMatchObject({ outcome: 'completed' });
      for (let count = 0; count < prompted; count++) {
        const cut = lines[count] ?? '';
        const end = await feed([...lines.slice(0, count), cut.slice(0, cut.length / 2)], mode);
        expect(JSON.stringify(end)).toEqual(crashed);
      }
    });

    it('may hold lines that are no messages between all others', async () => {
      const junk = ['', 'Loading…', '{', '[]', 'null', '7', '"x"', '{"id":99}', '{"method":5}', '{}'];
      expect(
        await feed(
          lines.flatMap((line) => [...junk, line]),
          mode,
        ),
      ).toMatchObject({ outcome: 'completed' });
    });

    it('may have any value in the place of any other', async () => {
      for (const wrong of [null, 7, 'x', [], {}, [null], [{}]])
        for (let index = 0; index < lines.length; index++)
          for (const broken of misshapen(lines[index] ?? '', wrong)) {
            const end = await feed([...lines.slice(0, index), broken, ...lines.slice(index + 1)], mode);
            expect(end).toBeDefined();
          }
    }, 60_000);
  },
);

/** A line with each of its outer values replaced. */
function* misshapen(line: string, wrong: unknown): Generator<string> {
  const message = JSON.parse(line) as Record<string, unknown>;
  for (const path of pathsIn(message, 5)) {
    const copy = structuredClone(message);
    let at: Record<string, unknown> = copy;
    for (const key of path.slice(0, -1)) at = at[key] as Record<string, unknown>;
    at[path.at(-1) ?? ''] = wrong;
    yield JSON.stringify(copy);
  }
}

function* pathsIn(value: unknown, depth: number): Generator<string[]> {
  if (typeof value !== 'object' || value === null || depth === 0) return;
  for (const [key, inner] of Object.entries(value)) {
    if (key === 'availableCommands' || key === 'description') continue;
    yield [key];
    for (const path of pathsIn(inner, depth - 1)) yield [key, ...path];
  }
}
