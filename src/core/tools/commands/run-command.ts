import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { processMarker } from '../../processes/marked-processes.ts';
import { runProgram } from '../../processes/run-program.ts';
import type { Exit, StartProgram } from '../../processes/start-program.ts';
import type { Runtime } from '../../runtime.ts';
import {
  defineTool,
  MAX_OUTPUT,
  type ToolContext,
  ToolFailure,
  type ToolOutput,
  type ToolPlan,
  type ToolScope,
} from '../tool.ts';
import { resolveRealPath } from '../../paths/real-path.ts';
import { argumentPaths } from './argument-paths.ts';
import { commandEnvironment } from './command-environment.ts';
import { CommandOutput, formatExit } from './command-output.ts';
import { chainArgv } from './command-chain.ts';
import { judge, type JudgeDeps } from './judge-command.ts';
import { argvsOf, parseCommand, type ParsedLine } from './parse-command.ts';
import { isReadOnly } from './read-only-commands.ts';
import { findProgram, isProgramFile } from '../../processes/find-program.ts';
import type { Sandbox } from '../../processes/sandbox.ts';
import { isInside } from '../../paths/real-path.ts';
import { checkScripts, scriptFiles } from './script-files.ts';
import { GitProtection } from '../../processes/git-protection.ts';
import { type RepositoryDeps, runSandboxed } from './run-sandboxed.ts';

export const runCommandName = 'run_command';

/** The bytes of output that are kept, with room for the lines about it. */
const OUTPUT_BYTES = MAX_OUTPUT - 2000;

const input = z.object({
  command: z.string().meta({
    description:
      'One program with its arguments: plain words, and strings in quotes. Programs that only read may be connected with | and &&. No redirections, variables or wildcards',
  }),
  cwd: z.string().min(1).max(4096).optional().meta({
    description: 'The folder to run it in, inside the workspace; default: the workspace itself',
  }),
  timeoutMs: z.int().min(100).max(600_000).default(120_000).meta({
    description: 'Milliseconds after which it is stopped',
  }),
});

export interface RunCommandDeps extends JudgeDeps {
  sandbox: Sandbox;
  /** The daemon's environment; only an allowlist of it is passed on. */
  env: Record<string, string | undefined>;
  /** The id of this installation, for the marks of its processes. */
  installation: string;
  runtime: Pick<Runtime, 'newId'>;
  start?: StartProgram;
}

/** A parsed command with everything that it needs to run. */
interface PreparedCommand {
  line: ParsedLine;
  cwd: string;
  isSandboxed: boolean;
  timeoutMs: number;
}

/** Runs one program without a shell, sandboxed if a sandbox is available. */
export const runCommandTool = (given: RunCommandDeps) => {
  const { HOME: home, XDG_CONFIG_HOME: configHome } = given.env;
  const deps = { ...given, repositories: new GitProtection({ home, configHome }) };
  return defineTool({
    name: runCommandName,
    description:
      'Runs one program in the workspace, without a shell and mostly without network, and returns its output and exit code. For searching, reading and writing files the file tools are better.',
    input,
    isReadOnly: false,
    danger: 'high',
    plan: (args, context) => planCommand(deps, args, context),
  });
};

async function planCommand(
  deps: RunCommandDeps & RepositoryDeps,
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
  const { argv, parts, directory } = parsed;
  const asked = directory === undefined ? requestedCwd : joinDirectories(requestedCwd, directory);
  const cwd = await resolveCwd(asked, context.workspace);
  const state = await deps.sandbox.check();
  const judged = await judge(deps, parsed, cwd, context, state.isWorking ? undefined : state.reason);
  const scripts = (
    await Promise.all(argvsOf(parsed).map((one) => scriptFiles(one, cwd, context.workspace)))
  ).flat();
  const sandboxed = state.isWorking ? { workspace: context.workspace } : undefined;
  const prepared: PreparedCommand = { line: parsed, cwd, timeoutMs, isSandboxed: state.isWorking };
  const named = await Promise.all(argvsOf(parsed).map((one) => argumentPaths(one, cwd, sandboxed)));
  return {
    access: {
      paths: [{ path: asked, operation: 'write' }, ...named.flat()],
      command: { argv, cwd, ...(parts && { parts }) },
      ...(scripts.length > 0 && { scripts }),
      environment: state.isWorking ? 'sandbox' : 'no sandbox',
      ...judged,
    },
    run: async (scope) => {
      const [real] = scope.paths;
      if (real !== cwd || !isInside(context.workspace, cwd))
        throw new ToolFailure('Commands must run in a folder of the workspace');
      await checkScripts(scripts);
      return runPrepared(deps, prepared, context, scope);
    },
  };
}

const joinDirectories = (base: string, directory: string) =>
  base === '.' || directory.startsWith('/') ? directory : `${base}/${directory}`;

/** The real path of the directory; does not reveal whether a path outside the workspace exists. */
async function resolveCwd(cwd: string, workspace: string): Promise<string> {
  const path = await resolveRealPath(workspace, cwd);
  if (!isInside(workspace, path)) return path;
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) return path;
  throw new ToolFailure(`There is no folder ${cwd}`);
}

async function runPrepared(
  deps: RunCommandDeps & RepositoryDeps,
  { line, cwd, timeoutMs, isSandboxed }: PreparedCommand,
  { workspace, umask, signal }: ToolContext,
  scope: ToolScope,
): Promise<ToolOutput> {
  const { env, installation, runtime } = deps;
  const variables = commandEnvironment(env, workspace, isSandboxed);
  const argvs = argvsOf(line);
  for (const one of argvs) await checkProgram(one, cwd, variables['PATH'] ?? '');
  const argv = line.parts ? chainArgv(line.parts) : line.argv;
  const mark = `${installation}/tool/${runtime.newId('command')}`;
  const output = new CommandOutput(OUTPUT_BYTES);
  let timeout: AbortSignal | undefined;
  const start = (wrapped: string[]) => {
    // Starts here, so that the preparation does not count.
    timeout = AbortSignal.timeout(timeoutMs);
    return runProgram({
      argv: wrapped,
      cwd: isSandboxed ? '/' : cwd,
      // Every process in a sandbox can read the environment of its first process.
      env: isSandboxed ? {} : variables,
      umask,
      mark,
      signal: AbortSignal.any([signal, timeout]),
      isSandbox: isSandboxed,
      start: deps.start,
      onOutput: (chunk, name) => output.push(chunk, name),
    });
  };
  const sandboxed = { argv, cwd, workspace, env: { ...variables, [processMarker]: mark } };
  const changesFiles = !argvs.every(isReadOnly);
  const keepChanges = changesFiles ? await scope.keeper?.watchCommand() : undefined;
  let ended: { exit: Exit; notes: string[] };
  try {
    ended = isSandboxed
      ? await runSandboxed(deps, sandboxed, { scope, signal, changesFiles }, start)
      : { exit: await start(argv), notes: [] };
  } finally {
    await keepChanges?.();
  }
  const { exit, notes } = ended;
  signal.throwIfAborted();
  if ('error' in exit) throw new ToolFailure(`${line.argv[0]} could not start: ${exit.error.message}`);
  const outcome = timeout?.aborted ? `Stopped after ${timeoutMs} ms, its time limit` : formatExit(exit);
  const text = output.finish();
  const content = [outcome, ...notes.map((note) => `[${note}]`), text === '' ? '[no output]' : text].join(
    '\n',
  );
  return { content, origin: 'A command' };
}

async function checkProgram([program = '']: string[], cwd: string, path: string): Promise<void> {
  const exists = program.includes('/')
    ? await isProgramFile(resolve(cwd, program))
    : (await findProgram(program, path)) !== undefined;
  if (!exists) throw new ToolFailure(`There is no program ${program} here`);
}
