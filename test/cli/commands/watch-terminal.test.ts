import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ContractServer, startContractServer } from '../../helpers/contract-server.ts';
import { ToolWorld } from '../../helpers/tool-world.ts';
import { ensureBuilt, hasTerminals, outcomeOf, said, SvcHome } from '../svc-binary.ts';

const ENTER_SCREEN = '\u001b[?1049h';
const LEAVE_SCREEN = '\u001b[?1049l';

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
  world.onMessage = server.tell;
  await fetch(`${server.url}/api/tasks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Count to three' }),
  });
});
afterEach(() => server[Symbol.asyncDispose]());

const watch = (...more: string[]) => ['tasks', 'watch', '--url', server.url, ...more];

describe.skipIf(!hasTerminals)('svc tasks watch on a terminal (needs script of util-linux)', () => {
  it.each([
    ['q', 0],
    ['\u0003', 130],
  ])('restores the screen at %j and exits with %i', async (key, code) => {
    const running = home.startOnTerminal(watch());
    await said(running, 'stdout', /Count to three/);
    running.stdin?.write(key);
    const outcome = outcomeOf(await running);
    expect(outcome.code, outcome.stdout).toBe(code);
    expect(outcome.stdout.startsWith(ENTER_SCREEN)).toBe(true);
    expect(outcome.stdout).toContain(LEAVE_SCREEN);
  });

  it('watches a task by its ID prefix', async () => {
    const running = home.startOnTerminal(watch('task_01a1'));
    await said(running, 'stdout', /› .*Count to three/);
    running.stdin?.write('q');
    expect(outcomeOf(await running).code).toBe(0);
  });

  it('reports errors outside the full-screen view', async () => {
    const { code, stdout } = outcomeOf(await home.startOnTerminal(watch('0abc')));
    expect(code).toBe(5);
    expect(stripVTControlCharacters(stdout)).toMatch(/^svc: There is no task "0abc"/);
    expect(stdout).not.toContain(ENTER_SCREEN);
  });
});

describe('svc tasks watch without a terminal', () => {
  it('prints lines without a terminal, also for approvals', async () => {
    const running = home.start(watch());
    await said(running, 'stderr', /Watching/);
    const approved = said(running, 'stdout', /run_command npm test: svc approvals show appr_/);
    world.ask();
    expect(await approved).not.toContain('\u001b');
    running.kill('SIGINT');
    await running;
  });

  it('watches one task until it finishes', async () => {
    const running = home.start(watch('task_01a1'));
    world.tell('output', 'one two three\n', { stream: 'stdout' });
    world.end({ status: 'completed' });
    expect(outcomeOf(await running)).toMatchObject({ code: 0, stdout: 'one two three\n' });
  });
});
