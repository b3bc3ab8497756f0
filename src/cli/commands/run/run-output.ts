import { ApiError, type Client } from '../../../contract/client.ts';
import type { TaskEvent } from '../../../contract/task.ts';
import type { Output } from '../../output/output.ts';
import { OutputCopy } from '../tasks/copy-output.ts';
import type { RunProgress } from './run-progress.ts';

export interface RunOutput {
  event(event: TaskEvent): void;
  /** Resolves once everything is printed; true if the agent's own stdout was copied, so that its answer is on the screen. */
  finish(): Promise<boolean>;
}

interface RunOutputDeps {
  client: Client;
  taskId: string;
  output: Output;
  progress: RunProgress;
  /** False where stdout is for something else, such as JSON. */
  printsOutput: boolean;
}

/** Copies what the command of a task prints, as it prints it: stdout to stdout, stderr to stderr. */
export function runOutput({ client, taskId, output, progress, printsOutput }: RunOutputDeps): RunOutput {
  let isAtLineStart = true;
  const isShared = output.isTerminal && output.isErrorTerminal;
  const stdout = new OutputCopy({
    client,
    taskId,
    stream: 'stdout',
    async write(piece) {
      // A spinner would write over the lines of the command.
      if (isShared) progress.pause();
      isAtLineStart = piece.at(-1) === NEWLINE;
      await output.bytes(piece);
    },
    onDifferent: () =>
      progress.say('the command was started again and printed something else; all of its output follows'),
  });
  const stderr = new OutputCopy({
    client,
    taskId,
    stream: 'stderr',
    write: async (piece) => progress.complain(piece),
    onDifferent: () => undefined,
  });
  const copies = printsOutput ? [stdout, stderr] : [stderr];
  let isFollowed = false;
  return {
    event({ type, data }) {
      if (type === 'started') for (const copy of copies) copy.startAttempt();
      if (type !== 'output' || (data['stream'] !== 'stdout' && data['stream'] !== 'stderr')) return;
      isFollowed = true;
      // Both at once: what the command writes next then arrives in its order.
      for (const copy of copies) copy.follow();
    },
    async finish() {
      if (!isFollowed) return false;
      try {
        for (const copy of copies) await copy.finish();
      } catch (error) {
        // A daemon from before this route, or a task that was deleted: its result holds what is left.
        if (!(error instanceof ApiError && error.status === 404)) throw error;
        return false;
      }
      if (!printsOutput) return false;
      if (output.isTerminal && !isAtLineStart) output.write('\n');
      return true;
    },
  };
}

const NEWLINE = 10;
