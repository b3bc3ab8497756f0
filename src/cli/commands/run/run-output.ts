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
  const copies = printsOutput ? { stdout, stderr } : { stderr };
  const followed = new Set<OutputCopy>();
  return {
    event({ type, data }) {
      if (type === 'started') for (const copy of followed) copy.startAttempt();
      if (type !== 'output') return;
      const copy = Object.entries(copies).find(([name]) => name === data['stream'])?.[1];
      if (!copy) return;
      followed.add(copy);
      copy.follow();
    },
    async finish() {
      try {
        for (const copy of followed) await copy.finish();
      } catch (error) {
        // A daemon from before this route, or a task that was deleted: its result holds what is left.
        if (!(error instanceof ApiError && error.status === 404)) throw error;
        return false;
      }
      if (!followed.has(stdout)) return false;
      if (output.isTerminal && !isAtLineStart) output.write('\n');
      return true;
    },
  };
}

const NEWLINE = 10;
