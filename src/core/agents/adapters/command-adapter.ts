import { Readable } from 'node:stream';
import { type AgentAdapter, AgentFailure, type AgentResult, type AgentRun } from '../agent-adapter.ts';
import { OutputCapture } from '../output-capture.ts';
import {
  endGroup,
  inheritedEnvironment,
  killMarked,
  runMarker,
  signalGroup,
  watchedShell,
} from '../process-group.ts';
import { TextBatcher } from '../text-batcher.ts';

/** Kept of each of stdout and stderr. */
const OUTPUT_LIMIT_BYTES = 1024 * 1024;
/** Linux takes no longer single argument (MAX_ARG_STRLEN). */
const MAX_COMMAND_BYTES = 131_071;
/** How long the pipes may stay open after the end of the program. */
const DRAIN_MS = 1000;

type Exit = { code: number | null; signal: NodeJS.Signals | null } | { error: Error };

export interface CommandAdapterOptions {
  /** The daemon's environment, of which an allow list is passed on. */
  env: Record<string, string | undefined>;
  /** Stands for this data folder in the marks of the processes. */
  installation: string;
}

/** Runs the task's prompt by `sh -c`, in a process group of its own. */
export function commandAdapter({ env, installation }: CommandAdapterOptions): AgentAdapter {
  const environment = inheritedEnvironment(env);
  return {
    type: 'command',
    name: 'Command',
    description: 'Runs the prompt of the task as a shell command',
    capabilities: ['command', 'shell'],
    isChosenByLabels: false,
    faults: [],
    missingConfig: () => undefined,
    checkHealth: async () => ({ healthy: true }),
    execute: (run) => execute(run, environment, installation),
  };
}

async function execute(
  run: AgentRun,
  environment: Record<string, string | undefined>,
  installation: string,
): Promise<AgentResult> {
  const command = run.task.prompt ?? run.task.description ?? '';
  refuseUnrunnable(command);
  const cwd = await run.workspace();
  run.signal.throwIfAborted();
  const mark = `${installation}/${run.task.id}/${run.attempt}`;
  // Loaded at the first run: it costs the start of the daemon more than everything else here.
  const { execa } = await import('execa');
  const child = execa('/bin/sh', [...watchedShell, command], {
    cwd,
    env: { ...environment, SVC_TASK_ID: run.task.id, [runMarker]: mark },
    extendEnv: false,
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    buffer: false,
    reject: false,
    detached: true,
    cleanup: false,
  });
  const { pid, nodeChildProcess: process } = child;
  const exited = new Promise<Exit>((resolve) => {
    process.once('exit', (code, signal) => resolve({ code, signal }));
    process.once('error', (error) => resolve({ error }));
  });
  const stdout = follow(child.stdio[1], 'stdout', run);
  const stderr = follow(child.stdio[2], 'stderr', run);
  const stop = () => {
    // A group that cannot be signalled any more has ended.
    if (pid !== undefined) endGroup(pid, exited).catch(() => undefined);
  };
  run.signal.addEventListener('abort', stop, { once: true });
  const exit = await exited;
  run.signal.removeEventListener('abort', stop);
  if (pid !== undefined) signalGroup(pid, 'SIGKILL');
  await killMarked((found) => found === mark);
  const [output, complaints] = await Promise.all([stdout(), stderr()]);
  for (const stream of process.stdio) stream?.destroy();
  return conclude(run, exit, output, complaints);
}

function refuseUnrunnable(command: string): void {
  if (command.trim() === '')
    throw new AgentFailure('invalid_input', 'no_command', 'The task has no prompt to run as a command');
  if (command.includes('\0'))
    throw new AgentFailure('invalid_input', 'bad_command', 'A command cannot hold a NUL character');
  if (Buffer.byteLength(command) > MAX_COMMAND_BYTES)
    throw new AgentFailure(
      'invalid_input',
      'command_too_long',
      `The command is longer than ${MAX_COMMAND_BYTES} bytes, the most that one argument may have. Put it into a script file.`,
    );
}

/** Reads one stream to its end; answers how to get what was kept of it. */
function follow(stream: unknown, name: 'stdout' | 'stderr', run: AgentRun): () => Promise<string> {
  const batcher = new TextBatcher((text) =>
    run.emit({ type: 'output', message: text, data: { stream: name } }),
  );
  const capture = new OutputCapture({ limitBytes: OUTPUT_LIMIT_BYTES, onText: (text) => batcher.push(text) });
  if (!(stream instanceof Readable)) return async () => '';
  const ended = new Promise<void>((resolve) => {
    stream.on('data', (chunk: Buffer) => capture.push(chunk));
    stream.once('close', resolve);
    stream.once('error', () => resolve());
  });
  return async () => {
    const drain = setTimeout(() => stream.destroy(), DRAIN_MS);
    await ended;
    clearTimeout(drain);
    batcher.flush();
    if (capture.hasTail)
      run.emit({
        type: 'output',
        message: '[… the rest is in the result of the task …]\n',
        data: { stream: name, truncated: true },
      });
    return capture.finish();
  };
}

function conclude(run: AgentRun, exit: Exit, output: string, complaints: string): AgentResult {
  if (run.signal.aborted) throw run.signal.reason;
  if ('error' in exit)
    throw new AgentFailure(
      'agent_crash',
      'not_started',
      `The command could not start: ${exit.error.message}`,
      {
        cause: exit.error,
      },
    );
  const { code, signal } = exit;
  if (code === 0) return { output };
  const last = lastLine(complaints);
  const because = last === '' ? '' : `: ${last}`;
  if (signal)
    throw new AgentFailure(
      'agent_crash',
      signal.toLowerCase(),
      `The command was ended by ${signal}${because}`,
      {
        output,
      },
    );
  const [failure, what] =
    code === 126 || code === 127
      ? (['invalid_input', 'cannot be run'] as const)
      : (['agent_error', `ended with exit code ${code}`] as const);
  throw new AgentFailure(failure, `exit_${code}`, `The command ${what}${because}`, { output });
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)?.slice(0, 500) ?? '';
