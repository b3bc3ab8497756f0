import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseCommand } from '../../../../src/core/tools/commands/parse-command.ts';
import { runCommandTool } from '../../../../src/core/tools/commands/run-command.ts';
import { Sandbox } from '../../../../src/core/processes/sandbox.ts';
import type { Tool, ToolContext } from '../../../../src/core/tools/tool.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';

export const path = process.env['PATH'] ?? '/usr/bin:/bin';

/** Whether commands can be sandboxed on this machine. */
export const hasSandbox = await new Sandbox({ path, home: '/root', hiddenDirectories: [] }).check();
if (!hasSandbox.isWorking && process.env['CI'])
  throw new Error(`These tests need bubblewrap, and CI must not skip them: ${hasSandbox.reason}`);

/** The sandbox of a machine without bubblewrap. */
export const noSandbox = () => new Sandbox({ path: '/nowhere', home: '/root', hiddenDirectories: [] });

export interface TestDirectory extends AsyncDisposable {
  path: string;
}

/** Creates a temporary directory that is removed with the test. */
export async function makeDirectory(below = tmpdir()): Promise<TestDirectory> {
  const directory = await realpath(await mkdtemp(join(below, 'svc-command-')));
  return { path: directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
}

export interface CallOptions {
  workspace: string;
  sandbox: Sandbox;
  env?: Record<string, string>;
  signal?: AbortSignal;
  mayRunCommands?: boolean;
  mayRead?: (path: string) => boolean;
  isSecret?: (path: string) => Promise<boolean>;
  installation?: string;
}

export const toolOf = ({ sandbox, env = {}, installation = 'test' }: CallOptions): Tool =>
  runCommandTool({ sandbox, env: { PATH: path, ...env }, installation, runtime: systemRuntime });

export const contextOf = (options: CallOptions): ToolContext => ({
  workspace: options.workspace,
  userId: 'user_owner',
  mode: 'ask',
  isTrusted: true,
  mayRunCommands: options.mayRunCommands ?? false,
  signal: options.signal ?? new AbortController().signal,
});

export interface CommandArguments {
  command: string;
  cwd?: string;
  timeoutMs?: number;
}

export const planOf = (args: CommandArguments, options: CallOptions) => {
  const tool = toolOf(options);
  return tool.plan(tool.input.parse(args), contextOf(options));
};

/** Runs a command as the gate does, without guards; returns the output for the model. */
export async function call(args: CommandArguments | string, options: CallOptions): Promise<string> {
  const plan = await planOf(typeof args === 'string' ? { command: args } : args, options);
  const paths = (plan.access.paths ?? []).map((access) => resolve(options.workspace, access.path));
  const real = await Promise.all(paths.map((one) => realpath(one).catch(() => one)));
  const { content } = await plan.run({
    paths: real,
    isConfined: true,
    mayRead: options.mayRead ?? (() => true),
    ...(options.isSecret && { isSecret: options.isSecret }),
  });
  return content;
}

/** The argv of a valid command. */
export function argvOf(text: string): string[] {
  const parsed = parseCommand(text);
  if ('refused' in parsed) throw new Error(`${text}: ${parsed.refused}`);
  return parsed.argv;
}

export const linesOf = (text: string): string[] =>
  text
    .trim()
    .split('\n')
    .map((line) => line.trim());
