import { type AgentAdapter, AgentFailure, type AgentResult, type AgentRun } from '../agent-adapter.ts';
import { type CommandVariableDeps, commandVariables } from '../command-variables.ts';
import { runProgram } from '../../processes/run-program.ts';
import { traceProgram } from '../../processes/trace-program.ts';
import type { Exit, StartProgram } from '../../processes/start-program.ts';
import { CommandStream } from './command-stream.ts';

/** The maximum length of one argument on Linux (MAX_ARG_STRLEN). */
const MAX_COMMAND_BYTES = 131_071;

export interface CommandAdapterOptions extends CommandVariableDeps {
  /** Identifies this data directory in the marks of the processes. */
  installation: string;
  start?: StartProgram;
}

/** Runs the task's prompt by `sh -c`, in a process group of its own. */
export function commandAdapter(options: CommandAdapterOptions): AgentAdapter {
  return {
    type: 'command',
    name: 'Command',
    description: 'Runs the prompt of the task as a shell command',
    capabilities: ['command', 'shell'],
    needs: ['command'],
    isChosenByLabels: false,
    faults: [],
    missingConfig: () => undefined,
    checkHealth: async () => ({ healthy: true }),
    execute: (run) => execute(run, options),
  };
}

async function execute(run: AgentRun, options: CommandAdapterOptions): Promise<AgentResult> {
  const command = run.task.prompt ?? run.task.description ?? '';
  requireRunnable(command);
  const cwd = await run.workspace();
  const sink = await run.openOutput();
  const outputs = { stdout: new CommandStream(run, 'stdout'), stderr: new CommandStream(run, 'stderr') };
  const unstored = new AbortController();
  const exit = await traceProgram(run.telemetry, 'sh', () =>
    runProgram({
      argv: ['/bin/sh', '-c', command],
      cwd,
      env: commandVariables(options, run),
      umask: run.task.umask,
      start: options.start,
      mark: `${options.installation}/${run.task.id}/${run.runKey}`,
      signal: AbortSignal.any([run.signal, unstored.signal]),
      onOutput: async (chunk, name) => {
        if (unstored.signal.aborted) return;
        // Stored first: what is announced can be read.
        await sink.write(name, chunk).catch((error: unknown) => unstored.abort(error));
        outputs[name].push(chunk);
      },
    }),
  );
  const output = outputs.stdout.finish();
  const errorOutput = outputs.stderr.finish();
  if (!run.signal.aborted) failedToStore(unstored.signal, output);
  return conclude(run, exit, output, errorOutput);
}

/** Throws why the output could not be stored, with what was printed before. */
function failedToStore({ aborted, reason }: AbortSignal, output: string): void {
  if (!aborted) return;
  if (!(reason instanceof AgentFailure)) throw reason;
  const { failure, code, message, isFinal, cause } = reason;
  throw new AgentFailure(failure, code, message, { isFinal, output, cause });
}

function requireRunnable(command: string): void {
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

function conclude(run: AgentRun, exit: Exit, output: string, errorOutput: string): AgentResult {
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
  const last = lastLine(errorOutput);
  const reason = last === '' ? '' : `: ${last}`;
  if (signal)
    throw new AgentFailure(
      'agent_crash',
      signal.toLowerCase(),
      `The command was terminated by ${signal}${reason}`,
      {
        output,
      },
    );
  const [failure, what] =
    code === 126 || code === 127
      ? (['invalid_input', 'cannot be run'] as const)
      : (['command_failed', `ended with exit code ${code}`] as const);
  throw new AgentFailure(failure, `exit_${code}`, `The command ${what}${reason}`, { output });
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)?.slice(0, 500) ?? '';
