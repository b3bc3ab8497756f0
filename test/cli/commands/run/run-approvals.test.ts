import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ContractServer, Refusal, startContractServer } from '../../../helpers/contract-server.ts';
import { ToolWorld } from '../../../helpers/tool-world.ts';
import { ensureBuilt, hasTerminals, outcomeOf, said, SvcHome } from '../../svc-binary.ts';

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

const args = (...more: string[]) => ['run', '--url', server.url, ...more, 'Fix it'];

const refusedCalls = {
  count: 4,
  calls: ['npm test', 'npm publish'].map((command, index) => ({
    tool: 'run_command',
    call: `run_command ${command}`,
    reason: 'A person denied this call',
    count: 1 + 2 * index,
  })),
};

describe('svc run after calls were refused', () => {
  it.each([
    [['--quiet'], 9, /^! refused: run_command npm test: A person denied this call\n(.*\n){2}$/],
    [['--json', '--allow-refusals'], 0, /! refused: run_command npm test[^]*✓ done in/],
  ])('says so on stderr with %j and exits with %i', async (more, exitCode, said) => {
    const running = home.start(args(...more));
    await world.created();
    world.answer('Could not test it.', { refusedCalls });
    const { code, stderr } = outcomeOf(await running);
    expect(stderr).toMatch(said);
    expect(code).toBe(exitCode);
  });
});

describe('svc run with approvals, without a terminal', () => {
  it('leaves the task waiting for approval and exits with 9', async () => {
    const running = home.start(args());
    const { id } = await world.created();
    const asked = world.askInTask();
    const { code, stdout, stderr } = outcomeOf(await running);
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
    expect(stderr).toContain(`run_command  ${asked.id}\n  Arguments  command: npm test\n`);
    expect(stderr).toMatch(
      new RegExp(`svc: run_command needs approval.*svc approvals allow ${asked.id} .*logs -f ${id}\n$`),
    );
    expect(world.approvals[0]?.status).toBe('pending');
    expect(server.asked.map(({ route }) => route)).not.toContain(`POST /api/tasks/${id}/cancel`);
  });

  it('prints the waiting task with --json', async () => {
    const running = home.start(args('--json'));
    const { id } = await world.created();
    world.askInTask();
    const { code, stdout } = outcomeOf(await running);
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({ code: 9, answer: { task: { id } } });
  });

  it('ignores approvals that were already decided', async () => {
    const running = home.start(args('--on-approval', 'fail'));
    await world.created();
    world.decide(world.askInTask().id, 'allow-once');
    world.answer('done');
    const { code, stdout } = outcomeOf(await running);
    expect({ code, last: stripVTControlCharacters(stdout).trimEnd().split('\r\n').at(-1) }).toEqual({
      code: 0,
      last: 'done',
    });
  });

  it('waits for a decision made elsewhere with --on-approval wait', async () => {
    const running = home.start(args('--on-approval', 'wait'));
    const waiting = said(running, 'stderr', /waiting for a decision: svc approvals allow appr_/);
    await world.created();
    const asked = world.askInTask();
    expect(await waiting).toContain('command: npm test');
    world.decide(asked.id, 'allow-once');
    world.answer('done');
    const { code, stdout, stderr } = outcomeOf(await running);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done' });
    expect(stderr).toContain('· allowed, once\n');
  });

  it('denies each call with --on-approval deny and continues', async () => {
    const running = home.start(args('--on-approval', 'deny'));
    await world.created();
    for (const command of ['npm test', 'npm publish']) {
      const asked = world.askInTask({ params: { command } });
      expect((await world.decided(asked)).decision).toBe('deny');
    }
    world.answer('Could not test it.', { refusedCalls });
    const { code, stdout, stderr } = outcomeOf(await running);
    expect({ code, stdout }).toEqual({ code: 9, stdout: 'Could not test it.' });
    expect(stderr).toMatch(/· needs approval: run_command npm publish \(until [-\dT:.]+Z\)\n· denied\n/);
    expect(stderr).toMatch(
      /\n! refused: run_command npm test: A person denied this call\n! refused: run_command npm publish \(3 times\): A person denied this call\n✗ done in [^\n]*--allow-refusals/,
    );
    expect(stderr.match(/refused:/g)).toHaveLength(2);
  });

  it('reports a decision that the user may not make', async () => {
    server.answers.approvals = {
      ...server.answers.approvals,
      decide: () => {
        throw new Refusal(403, 'API tokens cannot decide approvals. Sign in as a user');
      },
    };
    const running = home.start(args('--on-approval', 'deny'));
    await world.created();
    world.askInTask();
    expect(outcomeOf(await running)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('API tokens cannot decide approvals') as string,
    });
  });
});

describe('svc run of an agent with tools', () => {
  it('prints the steps of the agent to stderr, and only the answer to stdout', async () => {
    const running = home.start(args('--mode', 'sandbox'));
    await world.created();
    expect(world.tasks[0]?.securityMode).toBe('sandbox');
    world.step('session:start', 'small by openai');
    world.step('step:start', 'step 1');
    world.step('thinking:update', 'hmm');
    world.tell('output', 'I look at it.', { stream: 'text' });
    world.step('tool:call', 'read_file src/a.ts');
    world.step('tool:result', 'read_file: 20 lines', { result: { success: true, content: '…' } });
    world.step('tool:result', 'read_file: not there', { result: { success: false, content: '…' } });
    world.step('complete', 'complete');
    world.tell('progress', 'half of it');
    world.answer('Fixed.');
    const { code, stdout, stderr } = outcomeOf(await running);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Fixed.' });
    expect(stderr).toMatch(
      /created\n· small by openai\n· read_file src\/a\.ts\n· read_file: not there\n· half of it\n✓ done in .*\n$/,
    );
  });

  it.each([
    ['budget', 10],
    ['policy_denied', 4],
  ] as const)('a task that failed with %s exits with %i', async (failure, code) => {
    const running = home.start(args());
    await world.created();
    world.end({ status: 'failed', error: { class: failure, code: 'x', message: 'No more' } });
    expect((await running).exitCode).toBe(code);
  });

  it.each([
    [['--mode', 'sandbx'], /Did you mean sandbox\?/],
    [['--on-approval', 'ask'], /Allowed choices are fail, wait, deny/],
  ])('rejects the run arguments %j as wrong usage', async (more, stderr) => {
    expect(outcomeOf(await home.start(args(...more)))).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(stderr) as string,
    });
  });
});

describe.skipIf(!hasTerminals)('svc run with approvals, on a terminal (needs script of util-linux)', () => {
  it.each([
    ['y', 'allow-once'],
    ['always', 'allow-always'],
    ['no', 'deny'],
  ] as const)('asks for approval and sends the answer %j as %s', async (keys, decision) => {
    const running = home.startOnTerminal(args());
    const asking = said(
      running,
      'stdout',
      /Allow run_command\? \[y\]es once \/ \[a\]lways \/ the whole \[t\]ool \/ \[e\]dit \/ \[n\]o, or no and why /,
    );
    await world.created();
    const asked = world.askInTask({ params: { command: `npm test ${'x'.repeat(100)}` } });
    const shown = stripVTControlCharacters(await asking);
    expect(shown).toMatch(/Arguments.*command:\r\n {15}npm test x+\r\n {15}x+\r\n/);
    const decided = world.decided(asked);
    running.stdin?.write(`${keys}\r`);
    expect((await decided).decision).toBe(decision);
    world.answer('done');
    const { code, stdout } = outcomeOf(await running);
    const last = stripVTControlCharacters(stdout).trimEnd().split('\r\n').at(-1);
    expect({ code, last }).toEqual({ code: 0, last: 'done' });
  });

  it('asks again when it does not understand the answer', async () => {
    const running = home.startOnTerminal(args());
    const asking = said(running, 'stdout', /Allow run_command\?/);
    const again = said(running, 'stdout', /Allow run_command\?[^]*Allow run_command\?/);
    await world.created();
    const asked = world.askInTask();
    await asking;
    running.stdin?.write('maybe\r');
    await again;
    expect(world.approvals[0]?.status).toBe('pending');
    running.stdin?.write('n\r');
    await world.decided(asked);
    world.answer('done');
    expect(outcomeOf(await running).code).toBe(0);
  });

  it('lets the person change the arguments, shows the changed call and asks again', async () => {
    const env = { EDITOR: "sed -i 's/npm test/npm run lint/'" };
    const running = home.startOnTerminal(args(), { env });
    const asking = said(running, 'stdout', /Allow run_command\?/);
    const again = said(
      running,
      'stdout',
      /command: npm run lint[^]*Allow run_command with these arguments\? \[y\]es once \/ \[e\]dit again \/ \[n\]o /,
    );
    await world.created();
    const asked = world.askInTask();
    await asking;
    running.stdin?.write('e\r');
    await again;
    expect(world.approvals[0]?.status).toBe('pending');
    const decided = world.decided(asked);
    running.stdin?.write('y\r');
    expect((await decided).decision).toBe('allow-once');
    expect(world.edits).toEqual([{ command: 'npm run lint' }]);
    world.answer('done');
    expect(outcomeOf(await running).code).toBe(0);
  });

  it('asks about the call of the model again where the changed one is not allowed', async () => {
    const running = home.startOnTerminal(args(), { env: { EDITOR: "sed -i 's/npm test/refused/'" } });
    const asking = said(running, 'stdout', /Allow run_command\?/);
    const mistake = said(running, 'stdout', /The arguments are not valid[^]*Edit them again\?/);
    const back = said(running, 'stdout', /Edit them again\?[^]*Allow run_command\? \[y\]es once/);
    await world.created();
    const asked = world.askInTask();
    await asking;
    running.stdin?.write('e\r');
    await mistake;
    running.stdin?.write('n\r');
    await back;
    expect(world.approvals[0]?.status).toBe('pending');
    const decided = world.decided(asked);
    running.stdin?.write('n\r');
    expect((await decided).decision).toBe('deny');
    expect(world.edits).toEqual([]);
    world.answer('done');
    expect(outcomeOf(await running).code).toBe(0);
  });

  it('withdraws the prompt when another client decides, and shows the next one', async () => {
    const running = home.startOnTerminal(args());
    const first = said(running, 'stdout', /Allow run_command\?/);
    const second = said(running, 'stdout', /Allow write_file\?/);
    await world.created();
    const asked = [world.askInTask(), world.askInTask({ toolName: 'write_file' })] as const;
    await first;
    world.decide(asked[0].id, 'deny');
    await second;
    running.stdin?.write('y\r');
    await world.decided(asked[1]);
    world.answer('done');
    expect(outcomeOf(await running).code).toBe(0);
  });

  it('ignores keys that were typed before the approval prompt', async () => {
    const running = home.startOnTerminal(args());
    const asking = said(running, 'stdout', /Allow run_command\?/);
    const started = said(running, 'stdout', /task_.* created/);
    await world.created();
    await started;
    // The echo of the terminal says that it has it.
    const echoed = said(running, 'stdout', /y\r\n/);
    running.stdin?.write('y\r');
    await echoed;
    const asked = world.askInTask();
    await asking;
    const decided = world.decided(asked);
    running.stdin?.write('n\r');
    expect((await decided).decision).toBe('deny');
    world.answer('done');
    expect(outcomeOf(await running).code).toBe(0);
  });

  it('cancels the task on Ctrl-C during the approval prompt', async () => {
    const running = home.startOnTerminal(args());
    const asking = said(running, 'stdout', /Allow run_command\?/);
    const { id } = await world.created();
    world.askInTask();
    await asking;
    running.stdin?.write('\u0003');
    expect(outcomeOf(await running).code).toBe(130);
    expect(server.asked.map(({ route }) => route)).toContain(`POST /api/tasks/${id}/cancel`);
  });
});
