import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { processMarker } from '../../processes/process-group.ts';
import { runProgram } from '../../processes/run-program.ts';
import type { Runtime } from '../../runtime.ts';
import {
  defineTool,
  MAX_OUTPUT,
  type ToolContext,
  ToolFailure,
  type ToolOutput,
  type ToolPlan,
} from '../tool.ts';
import { resolveRealPath } from '../../paths/real-path.ts';
import { argumentPaths } from './argument-paths.ts';
import { commandEnvironment } from './command-environment.ts';
import { CommandOutput, formatExit } from './command-output.ts';
import { isHarmless } from './harmless-programs.ts';
import { parseCommand } from './parse-command.ts';
import { hasPlainRepository } from './plain-repository.ts';
import { whyRisky } from './risky-programs.ts';
import { findProgram, isProgramFile } from '../../processes/find-program.ts';
import type { Sandbox } from '../../processes/sandbox.ts';
import { isInside } from '../../paths/real-path.ts';
import { unreadablePaths } from './unreadable-paths.ts';

export const runCommandName = 'run_command';

/** The bytes of output that are kept, with room for the lines about it. */
const OUTPUT_BYTES = MAX_OUTPUT - 2000;

const input = z.object({
  command: z.string().meta({
    description:
      'One program with its arguments: plain words, and strings in quotes. No pipes, lists, redirections, variables or wildcards',
  }),
  cwd: z.string().min(1).max(4096).optional().meta({
    description: 'The folder to run it in, inside the workspace; default: the workspace itself',
  }),
  timeoutMs: z.int().min(100).max(600_000).default(120_000).meta({
    description: 'Milliseconds after which it is stopped',
  }),
});

export interface RunCommandDeps {
  sandbox: Sandbox;
  /** The daemon's environment; only an allowlist of it is passed on. */
  env: Record<string, string | undefined>;
  /** The id of this installation, for the marks of its processes. */
  installation: string;
  runtime: Pick<Runtime, 'newId'>;
}

/** A parsed command with everything that it needs to run. */
interface PreparedCommand {
  argv: string[];
  cwd: string;
  isSandboxed: boolean;
  timeoutMs: number;
}

/** Runs one program without a shell, sandboxed if a sandbox is available. */
export const runCommandTool = (deps: RunCommandDeps) =>
  defineTool({
    name: runCommandName,
    description:
      'Runs one program in the workspace, without a shell and mostly without network, and returns its output and exit code. For searching, reading and writing files the file tools are better.',
    input,
    isReadOnly: false,
    danger: 'high',
    plan: (args, context) => planCommand(deps, args, context),
  });

async function planCommand(
  deps: RunCommandDeps,
  { command, cwd: requestedCwd = '.', timeoutMs }: z.output<typeof input>,
  context: ToolContext,
): Promise<ToolPlan> {
  const parsed = parseCommand(command);
  if ('refused' in parsed)
    return {
      // The guard reports why. If the guard is disabled, running it fails all the same.
      access: {},
      run: () => Promise.reject(new ToolFailure(parsed.refused)),
    };
  const { argv } = parsed;
  const cwd = await resolveCwd(requestedCwd, context.workspace);
  const state = await deps.sandbox.check();
  const needsPerson = await whyNeedsPerson(argv, cwd, context, state.isWorking ? undefined : state.reason);
  const sandboxed = state.isWorking ? { workspace: context.workspace } : undefined;
  const prepared: PreparedCommand = { argv, cwd, timeoutMs, isSandboxed: state.isWorking };
  return {
    access: {
      paths: [{ path: requestedCwd, operation: 'write' }, ...(await argumentPaths(argv, cwd, sandboxed))],
      command: { argv, cwd },
      environment: state.isWorking ? 'sandbox' : 'no sandbox',
      ...(needsPerson !== undefined && { needsPerson }),
    },
    run: async (scope) => {
      const [real] = scope.paths;
      if (real !== cwd || !isInside(context.workspace, cwd))
        throw new ToolFailure('Commands must run in a folder of the workspace');
      const hidden = state.isWorking
        ? await unreadablePaths(context.workspace, (path) => scope.mayRead(path))
        : [];
      return runPrepared(deps, prepared, context, hidden);
    },
  };
}

/** Why the command needs an approval; undefined if it needs none. Throws if it may not run at all. */
async function whyNeedsPerson(
  argv: string[],
  cwd: string,
  { workspace, mayRunCommands }: ToolContext,
  noSandbox: string | undefined,
): Promise<string | undefined> {
  const risk = whyRisky(argv);
  if (noSandbox === undefined) return risk;
  const isReadOnly =
    risk === undefined &&
    isHarmless(argv) &&
    (argv[0] !== 'git' || (await hasPlainRepository(cwd, workspace)));
  if (isReadOnly) return undefined;
  if (!mayRunCommands)
    throw new ToolFailure(`There is no sandbox here (${noSandbox}), so only read-only commands may run`);
  return `${risk === undefined ? '' : `${risk}. `}There is no sandbox here (${noSandbox}), so it can access everything that the daemon can`;
}

/** The real path of the directory; does not reveal whether a path outside the workspace exists. */
async function resolveCwd(cwd: string, workspace: string): Promise<string> {
  const path = await resolveRealPath(workspace, cwd);
  if (!isInside(workspace, path)) return path;
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return path;
  throw new ToolFailure(`There is no folder ${cwd}`);
}

async function runPrepared(
  { sandbox, env, installation, runtime }: RunCommandDeps,
  { argv, cwd, timeoutMs, isSandboxed }: PreparedCommand,
  { workspace, signal }: ToolContext,
  hidden: string[],
): Promise<ToolOutput> {
  const variables = commandEnvironment(env, workspace, isSandboxed);
  await checkProgram(argv, cwd, variables['PATH'] ?? '');
  const mark = `${installation}/tool/${runtime.newId('command')}`;
  const output = new CommandOutput(OUTPUT_BYTES);
  const sandboxedCommand = { argv, cwd, workspace, env: { ...variables, [processMarker]: mark }, hidden };
  const wrapped = isSandboxed ? await sandbox.wrap(sandboxedCommand) : argv;
  // Starts here, so that the preparation does not count.
  const timeout = AbortSignal.timeout(timeoutMs);
  const exit = await runProgram({
    argv: wrapped,
    cwd: isSandboxed ? '/' : cwd,
    // Every process in a sandbox can read the environment of its first process.
    env: isSandboxed ? {} : variables,
    mark,
    signal: AbortSignal.any([signal, timeout]),
    isSandbox: isSandboxed,
    onOutput: (chunk, name) => output.push(chunk, name),
  });
  signal.throwIfAborted();
  if ('error' in exit) throw new ToolFailure(`${argv[0]} could not start: ${exit.error.message}`);
  const outcome = timeout.aborted ? `Stopped after ${timeoutMs} ms, its time limit` : formatExit(exit);
  const text = output.finish();
  return { content: text === '' ? `${outcome}\n[no output]` : `${outcome}\n${text}`, origin: 'A command' };
}

async function checkProgram([program = '']: string[], cwd: string, path: string): Promise<void> {
  const exists = program.includes('/')
    ? await isProgramFile(resolve(cwd, program))
    : (await findProgram(program, path)) !== undefined;
  if (!exists) throw new ToolFailure(`There is no program ${program} here`);
}
