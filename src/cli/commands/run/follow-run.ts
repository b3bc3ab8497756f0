import { ApiError } from '../../../contract/client.ts';
import type { Task } from '../../../contract/task.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { callAttention, LONG_MS } from '../../output/call-attention.ts';
import { formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { shortId } from '../../output/shorten-ids.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { followTask } from '../tasks/follow-task.ts';
import { exitCodeOfTask } from '../tasks/task-outcome.ts';
import { warningsOf } from '../tasks/task-warnings.ts';
import { runApprovals } from './run-approvals.ts';
import { choiceLine } from './choice-line.ts';
import { refuseToWait } from './refuse-to-wait.ts';
import { reviewHint } from './review-hint.ts';
import type { RunOptions } from './create-task.ts';
import { writeAnswer } from './output-files.ts';
import { runOutput } from './run-output.ts';
import { type Interrupt, interruptCodes, onInterrupt } from './on-interrupt.ts';
import { plainProgress, quietProgress, type RunProgress, spinnerProgress } from './run-progress.ts';

type Stop = Interrupt | 'timeout';

/**
 * Follows a task until it finishes and prints its answer; returns the exit code. `startedAt` is when the command started, in
 * milliseconds of `performance.now`.
 */
export async function followRun(
  cli: Cli,
  id: string,
  options: RunOptions,
  startedAt: number,
): Promise<ExitCode> {
  const { output } = cli;
  const { outputLastMessage } = options;
  const connection = cli.connect();
  const { client } = connection;
  if (options.quiet) output.write(`${id}\n`);

  const progress = await progressFor(cli, options);
  const stopping = Promise.withResolvers<never>();
  let stoppedBy: Stop | undefined;
  const stop = (reason: Stop) => {
    if (stoppedBy) return;
    stoppedBy = reason;
    progress.say(
      reason === 'timeout' ? 'timed out, cancelling' : 'cancelling; press Ctrl-C again to exit now',
    );
    client.tasks.cancel({ params: { id } }).catch((error: unknown) => {
      // The task finished before it could be cancelled.
      if (error instanceof ApiError && error.status === 400) return;
      stopping.reject(notCancelled(reason, id, error));
    });
  };
  const forget = onInterrupt(stop);
  const printed = runOutput({
    client,
    taskId: id,
    output,
    progress,
    printsOutput: !options.json && !options.jsonl && !options.quiet,
  });
  const { onApproval } = options;
  const approvals = runApprovals(cli, { taskId: id, progress, ...(onApproval && { onApproval }) });
  const timer = options.timeout === undefined ? undefined : setTimeout(stop, options.timeout, 'timeout');
  try {
    const place = output.isLively ? `: ${connection.target.url}/tasks/${id}` : '';
    progress.say(`${id} created${place}`);
    const followed = followTask(connection, id, {
      onEvent: (event) => {
        if (options.jsonl) output.jsonLine(event);
        progress.event(event);
        approvals.event(event);
        refuseToWait(cli, id, { event, onApproval }, stopping.reject);
        printed.event(event);
      },
      onAway: () => progress.say('the daemon is not responding; reconnecting'),
    });
    const answer = await Promise.race([followed, stopping.promise, approvals.failed]);
    const isPrinted = await printed.finish();
    const { line, exitCode } = conclude(cli, answer.task, progress.summary, stoppedBy, options);
    progress.pause();
    for (const text of warningsOf(answer.task)) output.note(`${output.paintError('yellow', '!')} ${text}`);
    if (!options.quiet || exitCode !== exitCodes.done) progress.end(line);
    const chosen = choiceLine(answer.task);
    if (!options.quiet && chosen !== undefined) output.note(`  ${chosen}`);
    const hint = reviewHint(answer.task, progress.hasChangedFiles);
    if (output.isLively && hint !== undefined) output.note(output.paintError('dim', `  ${hint}`));
    if (outputLastMessage !== undefined) writeAnswer(outputLastMessage, answer.task.result?.output ?? '');
    if (performance.now() - startedAt > LONG_MS)
      callAttention(cli, `${answer.task.status}: ${answer.task.title}`, approvals.idleMs);
    if (options.json) output.json(answer);
    else if (!options.jsonl && !options.quiet && !isPrinted) printAnswer(cli, answer.task);
    return exitCode;
  } catch (error) {
    if (error instanceof CliError && error.exitCode === exitCodes.approvalNeeded) {
      if (options.json) output.json(await client.tasks.get({ params: { id } }));
      throw error;
    }
    progress.end(
      `${output.paintError('yellow', '!')} the task may still be running  See: svc tasks show ${id}`,
    );
    throw error;
  } finally {
    clearTimeout(timer);
    approvals.close();
    forget();
  }
}

async function progressFor({ output }: Cli, { quiet }: RunOptions): Promise<RunProgress> {
  if (quiet) return quietProgress(output);
  return output.isLively ? spinnerProgress(output) : plainProgress(output);
}

/** Exactly what the agent said; a terminal gets the newline without which the prompt would follow on the same line. */
function printAnswer({ output }: Cli, { result }: Task): void {
  const answer = result?.output ?? '';
  output.write(output.isTerminal && answer !== '' && !answer.endsWith('\n') ? `${answer}\n` : answer);
}

function conclude(
  { output }: Cli,
  task: Task,
  summary: string,
  stoppedBy: Stop | undefined,
  options: RunOptions,
) {
  const { timeout = 0 } = options;
  const next = `See: svc tasks show ${output.isLively ? shortId(task.id) : task.id}`;
  const good = output.paintError('green', '✓');
  const bad = output.paintError('red', '✗');
  const took = formatDuration(Date.parse(task.completedAt ?? task.updatedAt) - Date.parse(task.createdAt));
  const isStopped = task.status === 'cancelled' && stoppedBy !== undefined;
  const exitCode =
    stoppedBy === undefined || (stoppedBy === 'timeout' && !isStopped)
      ? exitCodeOfTask(task, options)
      : codeOf(stoppedBy);
  if (task.status === 'completed' && exitCode === exitCodes.approvalNeeded)
    return {
      exitCode,
      line: `${bad} done in ${took}, but not everything was allowed (--allow-refusals accepts that)  ${next}`,
    };
  if (task.status === 'completed') {
    const verified = task.result?.verification && 'verified';
    const facts = [
      `done in ${took}`,
      verified,
      summary,
      ...(output.isLively ? [`task ${shortId(task.id)}`] : []),
    ];
    return { exitCode, line: `${good} ${facts.filter(Boolean).join(' · ')}` };
  }
  if (isStopped && stoppedBy === 'timeout')
    return { exitCode, line: `${bad} stopped after ${formatDuration(timeout)} (--timeout)  ${next}` };
  if (task.status === 'cancelled') return { exitCode, line: `${bad} cancelled after ${took}  ${next}` };
  return {
    exitCode,
    line: `${bad} failed: ${escapeLine(task.error?.message ?? 'unknown reason')}  ${next}`,
  };
}

const codeOf = (stop: Stop): ExitCode => (stop === 'timeout' ? exitCodes.timeout : interruptCodes[stop]);

function notCancelled(reason: Stop, id: string, cause: unknown): CliError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new CliError(codeOf(reason), `The task could not be cancelled: ${why}`, {
    next: `Try: svc tasks cancel ${id}`,
    cause,
  });
}
