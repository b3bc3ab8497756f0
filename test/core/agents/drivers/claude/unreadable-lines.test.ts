import { readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { claudeSession, order, result, say } from '../../../../helpers/agents/claude-session.ts';
import { scenariosOf, transcriptPath } from '../../../../helpers/agents/transcripts.ts';
import { hostileJson } from '../../../../helpers/hostile-json.ts';

const linesOf = (scenario: string): string[] =>
  readFileSync(transcriptPath('claude-stdio', scenario), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { dir: string; line: string })
    .filter(({ dir }) => dir === 'out')
    .map(({ line }) => line);

/** Gives a driver these lines and then the end of the program: every promise settles. */
async function play(lines: readonly string[]) {
  const { driver } = claudeSession();
  const opened = driver.open(order);
  driver.receive(lines[0] ?? '');
  const prompted = driver.prompt('Go.');
  for (const line of lines.slice(1)) driver.receive(line);
  driver.close({ code: 1, signal: null }, '');
  await setImmediate();
  return { opened: await opened, end: await prompted };
}

/** The same message with every value of another type. */
const misshapen = (line: string, values: readonly unknown[]): string => {
  let next = 0;
  const change = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null || depth > 3) return values[next++ % values.length];
    if (Array.isArray(value)) return value.length === 0 ? {} : value.map((item) => change(item, depth + 1));
    const entries = Object.entries(value).map(([key, item]) =>
      // Their types keep the way into the driver open.
      key === 'type' || key === 'subtype' ? [key, item] : [key, change(item, depth + 1)],
    );
    return Object.fromEntries(entries) as unknown;
  };
  return JSON.stringify(change(JSON.parse(line), 0));
};

const garbled: readonly ((line: string) => string)[] = [
  (line) => line.slice(0, line.length / 2),
  (line) => line.slice(line.length / 2),
  (line) => Buffer.from(Buffer.from(line).map((byte) => byte ^ 0xa5)).toString('latin1'),
  (line) => `[${line}]`,
  (line) => misshapen(line, [null]),
  (line) => misshapen(line, [7, {}, [], 'x', false, -1, [null], [{}]]),
  (line) => misshapen(line, ['']),
];

it.each(scenariosOf('claude-stdio'))('settles wherever the output ends: %s', async (scenario) => {
  const all = linesOf(scenario);
  const lines = all.slice(0, all.findIndex((line) => line.includes('"type":"result"')) + 1);
  for (let cut = 0; cut < 20; cut++) {
    const length = Math.floor((lines.length * cut) / 20);
    const half = lines[length] ?? '';
    const { end } = await play([...lines.slice(0, length), half.slice(0, half.length / 2)]);
    expect(end).toMatchObject({ outcome: 'failed', failure: { class: 'agent_crash' } });
  }
});

it.each(scenariosOf('claude-stdio'))('settles whichever line is garbled: %s', async (scenario) => {
  const lines = linesOf(scenario);
  // Some have hundreds of deltas, which are alike.
  const places = [...lines.keys()].filter((at) => at < 40 || at > lines.length - 10);
  for (const at of places)
    for (const garble of garbled) {
      const { end } = await play(lines.with(at, garble(lines[at] ?? '')));
      expect(end.outcome).toMatch(/^(completed|failed|cancelled)$/);
    }
});

it('goes on after lines that are no messages', async () => {
  const session = claudeSession();
  await session.start();
  const end = session.driver.prompt('Go.');
  const types = [
    'stream_event',
    'assistant',
    'user',
    'control_request',
    'control_response',
    'rate_limit_event',
    'system',
  ];
  for (const json of hostileJson) {
    session.driver.receive(json);
    for (const type of types)
      for (const key of ['message', 'event', 'request', 'response', 'rate_limit_info'])
        session.driver.receive(`{"type":"${type}","request_id":"r","${key}":${json}}`);
  }
  session.driver.receive('\0\u{fffd}\u{1b}[2J'.repeat(1000));
  session.driver.receive(`{"type":"assistant","message":"${'x'.repeat(20_000_000)}`);
  session.driver.receive(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
  session.receive({ type: 'a_message_of_next_year', session_id: 's1' });
  session.receive(say('Still here.'));
  session.receive(result());
  expect(await end).toEqual({ outcome: 'completed', text: 'Still here.' });
});
