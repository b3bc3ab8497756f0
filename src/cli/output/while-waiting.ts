import { formatDuration } from './duration.ts';
import type { Output } from './output.ts';
import { fitText } from './text-width.ts';

/** What is being done, and how much of it is done where that is known. */
export interface WaitStep {
  text: string;
  /** More about it, such as a size. */
  detail?: string;
  done?: number;
  total?: number;
}
export type ShowStep = (step: WaitStep) => void;

/** A terminal has a spinner after this time; what is done by then needs none. */
const SHOWN_AFTER_MS = 500;
const FIRST_LINE_AFTER_MS = 5000;
const LINE_EVERY_MS = 30_000;
/** Before it, the rate says little about the rest. */
const ESTIMATED_AFTER_MS = 2000;

/** One line about a step that began `elapsedMs` ago: `unpacking: 40 %, 12 s, about 18 s left`. */
export function describeWait(step: WaitStep, elapsedMs: number): string {
  const { detail, done = 0, total = 0 } = step;
  const text = detail === undefined ? step.text : `${step.text}, ${detail}`;
  const elapsed = formatDuration(Math.floor(elapsedMs / 1000) * 1000);
  if (total === 0 || done === 0) return elapsedMs < 1000 ? text : `${text}: ${elapsed}`;
  const share = Math.min(1, done / total);
  const percent = `${Math.floor(share * 100)} %`;
  if (elapsedMs < ESTIMATED_AFTER_MS) return `${text}: ${percent}`;
  const leftMs = Math.ceil((elapsedMs * (1 - share)) / share / 1000) * 1000;
  return `${text}: ${percent}, ${elapsed}, about ${formatDuration(leftMs)} left`;
}

/**
 * Shows on stderr what a command waits for while it works: a spinner on a terminal, elsewhere a line now and then, and
 * nothing unless `isShown`. Passes on the result and the error of the work.
 */
export async function whileWaiting<T>(
  output: Output,
  { isShown, text }: { isShown: boolean; text: string },
  work: (show: ShowStep) => Promise<T>,
): Promise<T> {
  if (!isShown) return work(() => undefined);
  let step: WaitStep = { text };
  let began = performance.now();
  const line = () => describeWait(step, performance.now() - began);
  const end = output.isLively ? spin(output, line) : printLines(output, line);
  try {
    return await work((next) => {
      if (next.text !== step.text) began = performance.now();
      step = next;
    });
  } finally {
    end();
  }
}

function spin(output: Output, line: () => string): () => void {
  let stop: (() => void) | undefined;
  let isOver = false;
  const start = async () => {
    const { default: ora } = await import('ora');
    if (isOver) return;
    const width = Math.max(20, (output.errorStream.columns || 80) - 4);
    const spinner = ora({ text: line(), stream: output.errorStream, discardStdin: false }).start();
    const update = setInterval(() => (spinner.text = fitText(line(), width)), 200);
    stop = () => {
      clearInterval(update);
      spinner.stop();
    };
  };
  const timer = setTimeout(() => void start(), SHOWN_AFTER_MS);
  return () => {
    isOver = true;
    clearTimeout(timer);
    stop?.();
  };
}

function printLines(output: Output, line: () => string): () => void {
  const print = () => {
    output.note(line());
    timer = setTimeout(print, LINE_EVERY_MS);
  };
  let timer = setTimeout(print, FIRST_LINE_AFTER_MS);
  return () => clearTimeout(timer);
}
