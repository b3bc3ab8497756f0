import { afterEach, beforeEach, expect, it } from 'vitest';
import type { RunningEvent } from '../../../../src/core/agents/agent-adapter.ts';
import { Config } from '../../../../src/core/config/config.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import { WorkVerifier } from '../../../../src/core/tasks/verification/work-verifier.ts';
import { makeDirectory, path, type TestDirectory } from '../../tools/commands/command-setup.ts';

let directory: TestDirectory;
beforeEach(async () => {
  directory = await makeDirectory();
});
afterEach(() => directory[Symbol.asyncDispose]());

function verify(commands: string[], { signal = new AbortController().signal, limitMs = 60_000 } = {}) {
  const events: RunningEvent[] = [];
  const env = { PATH: path, SVC_TOKEN: 'secret', OPENAI_API_KEY: 'secret' };
  const config = new Config({ flags: {}, env: {}, settingsFile: '/nowhere/settings.json' });
  const verifier = new WorkVerifier({ env, config, installation: 'test', runtime: systemRuntime, limitMs });
  const task = { id: 'task_1', title: 'x', labels: [], attempts: 1, maxAttempts: 1 } as never;
  const run = {
    task,
    attempt: 1,
    runKey: '1/1',
    workspace: async () => directory.path,
    environment: () => ({ GIVEN: 'by its creator' }),
    openOutput: () => Promise.reject(new Error('A check has no output of its own')),
    signal,
    emit: (event: RunningEvent) => void events.push(event),
    usedBy: { userId: 'user_1' },
    spend: () => undefined,
    publishOutput: () => undefined,
    whileWaiting: <T>(decision: () => Promise<T>) => decision(),
  };
  return { verification: verifier.verify({}, run, { commands, round: 1 }), events };
}

it('every command runs, in the workspace, with no secret of the daemon', async () => {
  const { verification } = verify(['exit 3', 'pwd', 'env']);
  const { status, commands } = await verification;
  expect(status).toBe('failed');
  expect(commands.map(({ exitCode }) => exitCode)).toEqual([3, 0, 0]);
  expect(commands[1]?.outputTail).toBe(`${directory.path}\n`);
  expect(commands[2]?.outputTail).toContain('SVC_TASK_ID=task_1');
  expect(commands[2]?.outputTail).toContain('GIVEN=by its creator');
  expect(commands[2]?.outputTail).not.toContain('secret');
});

it('a command that takes too long, is killed, or cannot be run has not succeeded', async () => {
  const slow = await verify(['sleep 60'], { limitMs: 100 }).verification;
  expect(slow).toMatchObject({
    status: 'failed',
    commands: [{ exitCode: null, problem: 'stopped after 0.1 s, its time limit' }],
  });
  expect(await verify(['kill -9 $$']).verification).toMatchObject({
    status: 'failed',
    commands: [{ exitCode: null, problem: 'terminated by SIGKILL' }],
  });
});

it('a run that is stopped has no verification', async () => {
  const stopping = new AbortController();
  const { verification, events } = verify(['sleep 60'], { signal: stopping.signal });
  stopping.abort(new Error('stopped'));
  await expect(verification).rejects.toThrow('stopped');
  expect(events.map(({ type }) => type)).toEqual(['verification_started']);
});
