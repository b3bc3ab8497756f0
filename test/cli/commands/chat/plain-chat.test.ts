import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ensureBuilt, said, SvcHome } from '../../svc-binary.ts';
import {
  approvalOf,
  conversationId,
  ScriptedDaemon,
  type ScriptedRun,
  taskId,
} from '../../tui/scripted-daemon.ts';

let home: SvcHome;
let daemon: ScriptedDaemon;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
});
afterAll(() => home[Symbol.asyncDispose]());
beforeEach(async () => void (daemon = await ScriptedDaemon.start()));
afterEach(() => daemon[Symbol.asyncDispose]());

const chat = (words: string[], stdin?: string) =>
  home.svc(['chat', '--url', daemon.url, ...words], stdin === undefined ? {} : { stdin });
const bodies = (route: RegExp) =>
  daemon.asked.flatMap((asked) => (route.test(asked.route) ? [asked.body] : []));
const fails = (code: string) => (run: ScriptedRun) => {
  run.begin();
  run.event({ type: 'error', data: { message: 'It did not work', code } });
};
const asks = async (run: ScriptedRun) => {
  run.begin(true);
  run.call('c', 'run_command', { command: 'make' });
  const decision = await run.ask('c', approvalOf('one'));
  run.result('c', decision === 'deny' ? 'Denied by a person' : 'made', decision !== 'deny');
  run.text(decision);
  run.complete();
};

describe('svc chat without a screen', () => {
  it('writes the answer to stdout as it streams, and everything else to stderr', async () => {
    daemon.script = (run) => {
      run.begin();
      run.text('I look.');
      run.call('c', 'read_file', { path: 'a.ts' });
      run.result('c', 'x\ny');
      run.text('It is **', 2);
      run.text('good**.', 2);
      run.complete();
    };
    const { code, stdout, stderr } = await chat(['Is', 'it', 'good?']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'I look.\n\nIt is **good**.\n' });
    expect(stderr).toMatch(
      /^✓ read_file {2}a\.ts {2}2 lines · \d+ ms\n✓ done in \d+ ms, 1234 tokens {2}Continue: svc chat -c conv_/,
    );
    expect(bodies(/with-tools$/)).toEqual([{ content: 'Is it good?', maxRoundTrips: 200 }]);
    expect(bodies(/POST .*conversations$/)).toEqual([{}]);
  });

  it('continues a conversation, reads the message from stdin and says how to reply', async () => {
    const words = [
      '-c',
      'conv_0000',
      '--model',
      'small',
      '--provider',
      'openai',
      '--mode',
      'full',
      'Review:',
    ];
    expect((await chat(words, 'a change\n')).code).toBe(0);
    expect(daemon.asked.at(-1)).toEqual({
      route: `POST /api/chat/conversations/${conversationId}/messages/with-tools`,
      body: {
        content: 'Review:\n\na change',
        model: 'small',
        provider: 'openai',
        securityMode: 'full',
        maxRoundTrips: 200,
      },
    });
  });

  it('runs in agentic mode', async () => {
    const words = ['--agentic', '--effort', 'max', '--max-steps', '9', '--max-budget', '5000', 'Work'];
    expect((await chat(words)).code).toBe(0);
    expect(bodies(/agentic$/)).toEqual([{ content: 'Work', effort: 'max', maxSteps: 9, maxBudget: 5000 }]);
  });

  it('prints events or the conversation as JSON', async () => {
    daemon.script = (run) => {
      run.begin();
      run.text('Hi');
      run.complete();
    };
    const events = (await chat(['--jsonl', 'Hi'])).stdout.trimEnd().split('\n');
    expect(events.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
      'user_message',
      'session:start',
      'step:start',
      'text:delta',
      'complete',
    ]);
    const answer = JSON.parse((await chat(['--json', 'Hi'])).stdout) as { conversation: { id: string } };
    expect(answer.conversation.id).toBe(conversationId);
  });

  it.each([
    ['TIMEOUT', 124],
    ['BUDGET_EXCEEDED', 10],
    ['CANCELLED', 3],
    ['RATE_LIMITED', 75],
    ['VALIDATION', 6],
    ['TOOL_ERROR', 1],
  ])('ends a run that failed with %s with the exit code %i', async (code, exitCode) => {
    daemon.script = fails(code);
    expect(await chat(['Hi'])).toMatchObject({
      code: exitCode,
      stderr: expect.stringContaining('svc: It did not work.') as string,
    });
  });

  it('says when the limit of round trips ended the turn, and how to continue', async () => {
    daemon.script = (run) => {
      run.begin();
      run.text('Not done yet');
      run.event({
        type: 'complete',
        data: {
          model: 'm',
          provider: 'openai',
          toolCalls: 200,
          finishReason: 'max_round_trips',
          maxRoundTrips: 200,
        },
      });
    };
    const { code, stderr } = await chat(['Hi']);
    expect(code).toBe(0);
    expect(stderr).toContain(
      `! Stopped at the limit of 200 tool round trips.  Continue: svc chat -c ${conversationId} "continue"`,
    );
  });

  it('offers to continue as a task when the time of agentic mode is over', async () => {
    daemon.script = fails('TIMEOUT');
    expect(await chat(['--agentic', 'Work'])).toMatchObject({
      code: 124,
      stderr: expect.stringContaining(
        `Continue as a task: svc chat export ${conversationId} | svc run "Continue the work of this conversation"`,
      ) as string,
    });
  });

  it('does not treat an interrupted answer as complete', async () => {
    daemon.script = (run) => {
      run.begin();
      run.text('Half');
    };
    expect(await chat(['Hi'])).toMatchObject({
      code: 69,
      stdout: 'Half\n',
      stderr: expect.stringContaining('was lost before the answer was complete') as string,
    });
  });

  it('exits when an approval is needed, and cancels the run', async () => {
    daemon.script = asks;
    const { code, stderr } = await chat(['--agentic', 'Make']);
    expect(code).toBe(9);
    expect(stderr).toMatch(/run_command needs approval, .*: It runs a program\. .*--on-approval deny/);
    expect(daemon.asked.map(({ route }) => route)).toContain(`POST /api/tasks/${taskId}/cancel`);
    expect(bodies(/approvals/)).toEqual([]);
  });

  it('denies and continues, or waits for a decision, depending on --on-approval', async () => {
    daemon.script = asks;
    const denied = await chat(['--on-approval', 'deny', 'Make']);
    expect(denied).toMatchObject({ code: 0, stdout: 'deny\n' });
    expect(denied.stderr).toContain('✗ run_command');
    expect(bodies(/approvals/)).toEqual([{ decision: 'deny' }]);
    const waiting = home.start(['chat', '--url', daemon.url, '--on-approval', 'wait', 'Make']);
    await said(waiting, 'stderr', /is waiting for approval/);
    await fetch(`${daemon.url}/api/security/approvals/one`, {
      method: 'POST',
      body: '{"decision":"allow-once"}',
    });
    expect(await waiting).toMatchObject({ exitCode: 0, stdout: 'allow-once\n' });
  });

  it('/compact sums the conversation up, and needs one', async () => {
    const compaction = { originalCount: 9, compactedCount: 1, tokensBefore: 84_000, tokensAfter: 6000 };
    daemon.compact = async () => ({
      status: 200,
      answer: { summary: 'About doors.', compaction, runId: 'run_c' },
    });
    const compacted = await chat(['-c', conversationId, '/compact', 'the doors']);
    expect(compacted).toMatchObject({ code: 0, stdout: 'About doors.\n' });
    expect(compacted.stderr).toContain('✓ Compacted: 84k → 6k tokens');
    expect(bodies(/compact$/)).toEqual([{ keep: 'the doors' }]);
    expect(bodies(/with-tools$/)).toEqual([]);
    const json = await chat(['-c', conversationId, '--json', '/compact']);
    expect(JSON.parse(json.stdout)).toEqual({ summary: 'About doors.', compaction, runId: 'run_c' });
    daemon.compact = async () => ({ status: 400, answer: { error: 'There is nothing to compact' } });
    expect(await chat(['-c', conversationId, '/compact'])).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('There is nothing to compact') as string,
    });
    expect(await chat(['/compact'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('svc chat -c --plain /compact') as string,
    });
  });

  it('cancels the run on Ctrl-C', async () => {
    daemon.script = async (run) => {
      run.begin(true);
      run.text('Working');
      await run.gone;
    };
    const running = home.start(['chat', '--url', daemon.url, '--agentic', 'Work']);
    await said(running, 'stdout', /Working/);
    running.kill('SIGINT');
    expect((await running).exitCode).toBe(130);
    expect(daemon.asked.map(({ route }) => route)).toContain(`POST /api/tasks/${taskId}/cancel`);
  });

  it.each([
    [[], 'Missing prompt', 2],
    [['--effort', 'low', 'Hi'], 'Add --agentic', 2],
    [['--agentic', '--mode', 'ask', 'Hi'], 'always uses mode full', 2],
    [['--mode', 'strict', 'Hi'], 'Allowed choices are deny', 2],
    [['--provider', 'opnai', 'Hi'], 'Did you mean openai?', 5],
    [['-c', 'conv_9', 'Hi'], 'There is no conversation "conv_9"', 5],
  ])('rejects the chat arguments %j', async (words, text, code) => {
    expect(await chat(words)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(text) as string,
    });
    expect(bodies(/messages/)).toEqual([]);
  });
});
