import type { CheckEnd, CheckOrder } from '../../agents/agent-adapter.ts';
import { runProgram } from '../../processes/run-program.ts';

/** Runs a check as the `command` agent runs its command. */
export async function shellCheck(
  env: Record<string, string | undefined>,
  { command, workspace: cwd, ...options }: CheckOrder,
): Promise<CheckEnd> {
  const exit = await runProgram({
    ...options,
    argv: ['/bin/sh', '-c', command],
    cwd,
    env,
  });
  return { exit, environment: 'no sandbox' };
}
