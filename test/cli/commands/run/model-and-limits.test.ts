import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Verification } from '../../../../src/contract/verification.ts';
import { type ContractServer, startContractServer } from '../../../helpers/contract-server.ts';
import { ToolWorld } from '../../../helpers/tool-world.ts';
import { ensureBuilt, outcomeOf, SvcHome } from '../../svc-binary.ts';

let home: SvcHome;
let world: ToolWorld;
let server: ContractServer;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  return () => home[Symbol.asyncDispose]();
});
beforeEach(async () => {
  world = new ToolWorld();
  server = await startContractServer(world.answers());
});
afterEach(() => server[Symbol.asyncDispose]());

const args = (...more: string[]) => ['run', '--url', server.url, ...more, 'Count the doors'];

it('svc run sends the labels, the checks, the model and the limits, and writes the answer to a file', async () => {
  const schema = join(home.folder, 'schema.json');
  const last = join(home.folder, 'last.txt');
  writeFileSync(schema, '{"type":"object"}');
  const needs = ['--needs', 'gpu', '--needs', 'host:web-2'];
  const checks = ['--verify', 'npm test', '--verify', 'npm run lint', '--repair', '0'];
  const limits = ['--max-steps', '9', '--max-budget', '5000', '--max-cost', '$0.50', '--max-time', '10m'];
  const chosen = ['--model', 'gpt-5', '--provider', 'openai'];
  const files = ['--output-schema', schema, '--output-last-message', last];
  const running = home.start(args(...needs, ...checks, ...limits, ...chosen, ...files));
  expect(await world.created()).toMatchObject({
    needs: ['gpu', 'host:web-2'],
    verify: ['npm test', 'npm run lint'],
    repair: 0,
    model: 'gpt-5',
    provider: 'openai',
    maxSteps: 9,
    maxBudget: 5000,
    maxCostUsd: '0.50',
    maxTimeMs: 600_000,
    outputSchema: { type: 'object' },
  });
  world.answer('{"doors": 2}');
  expect(outcomeOf(await running)).toMatchObject({ code: 0, stdout: '{"doors": 2}' });
  expect(readFileSync(last, 'utf8')).toBe('{"doors": 2}');
});

it.each([
  [['--output-schema', '/nowhere/schema.json'], 6, 'cannot be read: no such file'],
  [['--output-schema', '/etc/hostname'], 6, 'is not valid JSON'],
  [['--output-last-message', '/nowhere/last.txt'], 6, 'cannot be written: no such file'],
])('svc run with %j creates no task and exits with %i', async (more, exitCode, said) => {
  const { code, stderr } = outcomeOf(await home.start(args(...more)));
  expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.stringContaining(said) });
  expect(server.asked.map(({ route }) => route)).not.toContain('POST /api/tasks');
});

const verification: Verification = {
  status: 'failed',
  rounds: 3,
  environment: 'sandbox',
  commands: [
    { command: 'npm test', exitCode: 1, durationMs: 5, outputTail: '1 failed\n', outputHash: 'a' },
    { command: 'npm run lint', exitCode: 0, durationMs: 5, outputTail: 'clean\n', outputHash: 'b' },
  ],
};

it.each([
  ['verify_failed', 'verify_failed', 7],
  ['budget', 'cost_exceeded', 10],
  ['timeout', 'max_time', 124],
  ['timeout', 'timeout', 1],
  ['invalid_output', 'invalid_output', 1],
] as const)('svc run exits after %s (%s) with %i and says what failed', async (failure, reason, exitCode) => {
  const running = home.start(args());
  await world.created();
  world.end({
    status: 'failed',
    error: { class: failure, code: reason, message: 'It did not work' },
    result: { success: false, output: 'Said', artifacts: [], duration: 5, verification },
  });
  const { code, stdout, stderr } = outcomeOf(await running);
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: 'Said' });
  expect(stderr).toContain('! npm test: exit code 1\n1 failed\n✗ failed: It did not work');
  expect(stderr).not.toContain('clean');
});

it('svc run warns where the agent changed what verified it', async () => {
  const running = home.start(args());
  await world.created();
  world.answer('Done', {
    verification: { ...verification, status: 'passed', commands: [], changedFiles: ['test.js'] },
  });
  const { code, stderr } = outcomeOf(await running);
  expect(code).toBe(0);
  expect(stderr).toMatch(/! test\.js was changed during the run.*\n✓ done in .* · verified( ·.*)?\n$/);
});
