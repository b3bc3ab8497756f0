import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { z } from 'zod';
import { runMarker } from '../../processes/process-group.ts';
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
import { realPlace } from '../../paths/real-path.ts';
import { argumentPaths } from './argument-paths.ts';
import { commandEnvironment } from './command-environment.ts';
import { CommandOutput, sayExit } from './command-output.ts';
import { isHarmless } from './harmless-programs.ts';
import { parseCommand } from './parse-command.ts';
import { hasPlainRepository } from './plain-repository.ts';
import { whyRisky } from './risky-programs.ts';
import { findProgram, isProgramFile } from '../../processes/find-program.ts';
import type { Sandbox } from '../../processes/sandbox.ts';
import { isInside } from '../../paths/real-path.ts';
import { unreadPlaces } from './unread-places.ts';

export const runCommandName = 'run_command';

/** Bytes of output that are kept: room for what is said about it. */
const OUTPUT_BYTES = MAX_OUTPUT - 2000;

const input = z.object({
  command: z.string().meta({
    description:
      'One program with its arguments: plain words, and strings in quotes. No pipes, lists, redirections, variables or wildcards',
  }),
  cwd: z.string().min(1).max(4096).optional().meta({
    description: 'The folder to run it in, below the workspace; the workspace itself if left out',
  }),
  timeoutMs: z.int().min(100).max(600_000).default(120_000).meta({
    description: 'Milliseconds after which it is stopped',
  }),
});

export interface RunCommandDeps {
  sandbox: Sandbox;
  /** The daemon's environment, of which an allow list is passed on. */
  env: Record<string, string | undefined>;
  /** Stands for this data folder in the marks of the processes. */
  installation: string;
  runtime: Pick<Runtime, 'newId'>;
}

/** A command that was read and found to be one, with all that it runs with. */
interface PreparedCommand {
  argv: string[];
  cwd: string;
  isSandboxed: boolean;
  timeoutMs: number;
}

/** Runs one program without a shell, in a sandbox where there is one. */
export const runCommandTool = (deps: RunCommandDeps) =>
  defineTool({
    name: runCommandName,
    description:
      'Runs one program in the workspace, without a shell and mostly without network, and answers its output and exit code. For searching, reading and writing files the file tools are better.',
    input,
    isReadOnly: false,
    danger: 'high',
    plan: (args, context) => planCommand(deps, args, context),
  });

async function planCommand(
  deps: RunCommandDeps,
  { command, cwd: given = '.', timeoutMs }: z.output<typeof input>,
  context: ToolContext,
): Promise<ToolPlan> {
  const parsed = parseCommand(command);
  if ('refused' in parsed)
    return {
      // The guard says why; it stays refused where the guard is off: there is nothing that could run it.
      access: {},
      run: () => Promise.reject(new ToolFailure(parsed.refused)),
    };
  const { argv } = parsed;
  const cwd = await folderOf(given, context.workspace);
  const state = await deps.sandbox.check();
  const needsPerson = await whyNeedsPerson(argv, cwd, context, state.isWorking ? undefined : state.reason);
  const sandboxed = state.isWorking ? { workspace: context.workspace } : undefined;
  const prepared: PreparedCommand = { argv, cwd, timeoutMs, isSandboxed: state.isWorking };
  return {
    access: {
      paths: [{ path: given, does: 'write' }, ...(await argumentPaths(argv, cwd, sandboxed))],
      command: { argv, cwd },
      environment: state.isWorking ? 'sandbox' : 'no sandbox',
      ...(needsPerson !== undefined && { needsPerson }),
    },
    run: async (scope) => {
      const [real] = scope.paths;
      if (real !== cwd || !isInside(context.workspace, cwd))
        throw new ToolFailure('Commands run in a folder of the workspace');
      const hidden = state.isWorking
        ? await unreadPlaces(context.workspace, (path) => scope.mayRead(path))
        : [];
      return runPrepared(deps, prepared, context, hidden);
    },
  };
}

/** Why only a person may let it run, or undefined; throws where nobody may. */
async function whyNeedsPerson(
  argv: string[],
  cwd: string,
  { workspace, mayRunCommands }: ToolContext,
  noSandbox: string | undefined,
): Promise<string | undefined> {
  const risk = whyRisky(argv);
  if (noSandbox === undefined) return risk;
  const looksOnly =
    risk === undefined &&
    isHarmless(argv) &&
    (argv[0] !== 'git' || (await hasPlainRepository(cwd, workspace)));
  if (looksOnly) return undefined;
  if (!mayRunCommands)
    throw new ToolFailure(`There is no sandbox here (${noSandbox}), so only commands that just look may run`);
  return `${risk === undefined ? '' : `${risk}. `}There is no sandbox here (${noSandbox}), so it can reach everything that the daemon can`;
}

/** The real folder; of what leads out of the workspace not even whether it is there. */
async function folderOf(given: string, workspace: string): Promise<string> {
  const place = await realPlace(workspace, given);
  if (!isInside(workspace, place)) return place;
  const found = await stat(place).catch(() => undefined);
  if (found?.isDirectory()) return place;
  throw new ToolFailure(`There is no folder ${given}`);
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
  const inside = { argv, cwd, workspace, env: { ...variables, [runMarker]: mark }, hidden };
  const wrapped = isSandboxed ? await sandbox.wrap(inside) : argv;
  // From here on: what is done before is not the command's time.
  const timeout = AbortSignal.timeout(timeoutMs);
  const exit = await runProgram({
    argv: wrapped,
    cwd: isSandboxed ? '/' : cwd,
    // The first process of a sandbox shows its environment to all that run in it.
    env: isSandboxed ? {} : variables,
    mark,
    signal: AbortSignal.any([signal, timeout]),
    isSandbox: isSandboxed,
    onOutput: (chunk, name) => output.push(chunk, name),
  });
  signal.throwIfAborted();
  if ('error' in exit) throw new ToolFailure(`${argv[0]} could not start: ${exit.error.message}`);
  const ending = timeout.aborted ? `Stopped after ${timeoutMs} ms, its time limit` : sayExit(exit);
  const said = output.finish();
  return { content: said === '' ? `${ending}\n[no output]` : `${ending}\n${said}`, origin: 'A command' };
}

async function checkProgram([program = '']: string[], cwd: string, path: string): Promise<void> {
  const isThere = program.includes('/')
    ? await isProgramFile(resolve(cwd, program))
    : (await findProgram(program, path)) !== undefined;
  if (!isThere) throw new ToolFailure(`There is no program ${program} here`);
}
