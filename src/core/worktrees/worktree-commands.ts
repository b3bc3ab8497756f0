import { AgentFailure } from '../agents/agent-adapter.ts';
import { isInside } from '../paths/real-path.ts';
import { defaultPath } from '../processes/default-path.ts';
import { OutputCapture } from '../processes/output-capture.ts';
import { processMarker } from '../processes/marked-processes.ts';
import { inheritedEnvironment } from '../processes/process-group.ts';
import { runProgram } from '../processes/run-program.ts';
import type { Sandbox } from '../processes/sandbox.ts';
import type { WorktreeRow } from '../storage/rows/worktrees.ts';
import { join } from 'node:path';

/** The time limit of one command. */
const LIMIT_MS = 600_000;
/** The end of the output that an error shows. */
const TAIL = 2000;

export interface WorktreeCommandDeps {
  sandbox: Pick<Sandbox, 'check' | 'wrap'>;
  env: Record<string, string | undefined>;
  /** Identifies this data directory in the marks of the processes. */
  installation: string;
  /** For tests. */
  limitMs?: number;
}

export interface CommandRun {
  row: WorktreeRow;
  kind: 'setup' | 'teardown';
  commands: readonly string[];
  /** False where untrusted text made the task: its commands then need the sandbox. */
  isTrusted: boolean;
  signal?: AbortSignal | undefined;
}

/** The variables of a worktree that its commands and its agent get. */
export const worktreeVariables = ({ port_base }: Pick<WorktreeRow, 'port_base'>): Record<string, string> =>
  port_base === null ? {} : { SVC_PORT_BASE: String(port_base) };

/** Runs the commands of `.svc/worktree.json` in the root of the worktree, in the sandbox where it works; throws where one fails. */
export async function runWorktreeCommands(deps: WorktreeCommandDeps, run: CommandRun): Promise<void> {
  const { sandbox } = deps;
  const { commands, isTrusted, kind } = run;
  if (commands.length === 0) return;
  const { isWorking } = await sandbox.check();
  if (!isWorking && !isTrusted)
    throw failed(kind, 'the task has an untrusted source, and this machine has no sandbox for its commands');
  for (const [at, command] of commands.entries()) await runOne(deps, run, { command, at, isWorking });
}

async function runOne(
  { sandbox, env, installation, limitMs = LIMIT_MS }: WorktreeCommandDeps,
  { row, kind, signal }: CommandRun,
  { command, at, isWorking }: { command: string; at: number; isWorking: boolean },
): Promise<void> {
  const { path, task_id } = row;
  const limit = AbortSignal.timeout(limitMs);
  const mark = `${installation}/${task_id}/worktree/${kind}/${at}`;
  const argv = ['/bin/sh', '-c', command];
  const variables = variablesOf(env, row, isWorking);
  const capture = new OutputCapture({ limitBytes: 2 * TAIL });
  const exit = await runProgram({
    argv: isWorking
      ? await sandbox.wrap({
          argv,
          cwd: path,
          workspace: path,
          env: { ...variables, [processMarker]: mark },
          // Git would read the settings of another repository through it.
          protectedPaths: [{ path: join(path, '.git'), isReadOnly: true }],
        })
      : argv,
    cwd: isWorking ? '/' : path,
    env: isWorking ? {} : variables,
    mark,
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
    isSandbox: isWorking,
    onOutput: (chunk) => capture.push(chunk),
  });
  signal?.throwIfAborted();
  const output = capture.finish().slice(-TAIL).toWellFormed().trim();
  const text = output === '' ? '' : `\n${output}`;
  if (limit.aborted) throw failed(kind, `"${command}" was stopped after ${limitMs / 1000} s${text}`);
  if ('error' in exit) throw failed(kind, `"${command}" could not start: ${exit.error.message}`);
  if (exit.code !== 0) throw failed(kind, `"${command}" ${endOf(exit)}${text}`);
}

const endOf = ({ code, signal }: { code: number | null; signal: string | null }) =>
  signal ? `was terminated by ${signal}` : `ended with exit code ${code}`;

function variablesOf(
  env: Record<string, string | undefined>,
  row: WorktreeRow,
  isSandbox: boolean,
): Record<string, string> {
  const own = { ...worktreeVariables(row), SVC_TASK_ID: row.task_id };
  const inherited = Object.fromEntries(
    Object.entries(inheritedEnvironment(env)).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    ),
  );
  if (!isSandbox) return { ...inherited, ...own };
  const path = (env['PATH'] ?? defaultPath).split(':').filter((directory) => !isInside(row.path, directory));
  return {
    ...inherited,
    PATH: path.join(':'),
    HOME: '/tmp',
    TMPDIR: '/tmp',
    ...own,
  };
}

const failed = (kind: CommandRun['kind'], why: string) =>
  new AgentFailure('command_failed', `${kind}_failed`, `The ${kind} of the worktree failed: ${why}`);
