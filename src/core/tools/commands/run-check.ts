import { realpath } from 'node:fs/promises';
import type { CheckEnd, CheckOrder } from '../../agents/agent-adapter.ts';
import { GitProtection } from '../../processes/git-protection.ts';
import { processMarker } from '../../processes/marked-processes.ts';
import { runProgram } from '../../processes/run-program.ts';
import type { Sandbox } from '../../processes/sandbox.ts';
import { isToolFailure } from '../tool.ts';
import { scopeIn, type ToolScopeDeps } from '../tool-scope.ts';
import { commandEnvironment } from './command-environment.ts';
import { runSandboxed } from './run-sandboxed.ts';

export interface RunCheckDeps extends ToolScopeDeps {
  sandbox: Sandbox;
  /** The daemon's environment; only an allowlist of it is passed on. */
  env: Record<string, string | undefined>;
}

/**
 * Runs a shell command that verifies the work of a model, with the sandbox and the environment of the model's own
 * commands: what the model wrote runs in it. Without a sandbox it runs all the same, because a person asked for it, unless
 * the text of others led the model.
 */
export async function runCheck(deps: RunCheckDeps, order: CheckOrder): Promise<CheckEnd> {
  const { sandbox, env } = deps;
  const { mark, signal, needsSandbox = false } = order;
  const workspace = await realpath(order.workspace);
  const argv = ['/bin/sh', '-c', order.command];
  const state = await sandbox.check();
  const { isWorking: isSandbox } = state;
  const environment = isSandbox ? 'sandbox' : 'no sandbox';
  const variables = commandEnvironment(env, workspace, isSandbox);
  const start = (wrapped: string[]) =>
    runProgram({
      argv: wrapped,
      cwd: isSandbox ? '/' : workspace,
      // Every process in a sandbox can read the environment of its first process.
      env: isSandbox ? {} : variables,
      umask: order.umask,
      mark,
      signal,
      isSandbox,
      onOutput: (chunk) => order.onOutput(chunk),
    });
  if (!state.isWorking && needsSandbox)
    return {
      exit: { error: new Error(`the work is not trusted, and there is no sandbox: ${state.reason}`) },
      environment,
    };
  if (!isSandbox) return { exit: await start(argv), environment };
  const { HOME: home, XDG_CONFIG_HOME: configHome } = env;
  const repositories = new GitProtection({ home, configHome });
  const command = { argv, cwd: workspace, workspace, env: { ...variables, [processMarker]: mark } };
  const run = { scope: scopeIn(workspace, deps), signal, changesFiles: true };
  try {
    const { exit } = await runSandboxed({ sandbox, repositories }, command, run, start);
    return { exit, environment };
  } catch (error) {
    // The workspace cannot be put into a sandbox: the check did not run, so it did not succeed.
    if (isToolFailure(error)) return { exit: { error }, environment };
    throw error;
  }
}
