import type { Output } from '../../output/output.ts';
import { type Answer, parseDecision, type Question } from '../approvals/decision-words.ts';

/** Type-ahead is complete once no input arrives for this long. */
const QUIET_MS = 50;

/**
 * Prompts until the answer is valid; undefined if the prompt was aborted or closed.
 * Type-ahead does not count as an answer.
 */
export async function askDecision(
  output: Output,
  { text, answers }: Question,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  // Only a person at a terminal waits for it to load.
  const { createInterface } = process.getBuiltinModule('node:readline/promises');
  const { stdin } = process;
  await dropTypedAhead(stdin, signal);
  const lines = createInterface({ input: stdin, output: output.errorStream, terminal: true, historySize: 0 });
  const left = new AbortController();
  // In raw mode the terminal does not send SIGINT automatically.
  lines.on('SIGINT', interrupt).on('close', () => left.abort());
  try {
    for (;;) {
      const answer = await lines.question(text, { signal: AbortSignal.any([signal, left.signal]) });
      const decision = parseDecision(answer, answers);
      if (decision) return decision;
    }
  } catch (error) {
    if (!signal.aborted && !left.signal.aborted) throw error;
    output.note('');
    return undefined;
  } finally {
    lines.close();
  }
}

async function dropTypedAhead(stdin: NodeJS.ReadStream, signal: AbortSignal): Promise<void> {
  const quiet = Promise.withResolvers<void>();
  const timer = setTimeout(quiet.resolve, QUIET_MS);
  const drop = (typed: Buffer) => {
    if (typed.includes(CTRL_C)) interrupt();
    timer.refresh();
  };
  stdin.setRawMode(true);
  stdin.on('data', drop);
  signal.addEventListener('abort', () => quiet.resolve());
  await quiet.promise;
  clearTimeout(timer);
  stdin.off('data', drop).pause();
  stdin.setRawMode(false);
}

const CTRL_C = 3;
const interrupt = () => void process.kill(process.pid, 'SIGINT');
