import type { Ora } from 'ora';
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
const FRAME_MS = 200;
const FIRST_LINE_AFTER_MS = 5000;
const LINE_EVERY_MS = 30_000;
/** Before it, the rate says little about the rest. */
const ESTIMATED_AFTER_MS = 2000;

/** Calls back after milliseconds; returns what cancels it. */
type Later = (callback: () => void, ms: number) => () => void;
export interface WaitClock {
  /** Milliseconds that never jump. */
  now: () => number;
  later: Later;
}

const systemClock: WaitClock = {
  now: () => performance.now(),
  later(callback, ms) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** The part of a step that the estimate is made of. */
interface Seen {
  /** How much was done when the wait for the step began; a client may join in the middle. */
  doneBefore: number;
  /** How long the step had taken when it was last reported. */
  reportedMs: number;
}

/** One line about a step that began `elapsedMs` ago: `unpacking: 40 %, 12 s, about 18 s left`. */
export function describeWait(
  step: WaitStep,
  elapsedMs: number,
  { doneBefore, reportedMs }: Seen = { doneBefore: 0, reportedMs: elapsedMs },
): string {
  const { detail, done = 0, total = 0 } = step;
  const text = detail === undefined ? step.text : `${step.text}, ${detail}`;
  const elapsed = formatDuration(Math.floor(elapsedMs / 1000) * 1000);
  if (total === 0 || done === 0) return elapsedMs < 1000 ? text : `${text}: ${elapsed}`;
  const rest = Math.max(0, total - done);
  const percent = `${Math.floor((100 * (total - rest)) / total)} %`;
  if (elapsedMs < ESTIMATED_AFTER_MS) return `${text}: ${percent}`;
  const leftMs = (reportedMs * rest) / (done - doneBefore) - (elapsedMs - reportedMs);
  // A part that takes longer than those before it says nothing about the rest.
  if (done <= doneBefore || leftMs < 0) return `${text}: ${percent}, ${elapsed}`;
  return `${text}: ${percent}, ${elapsed}, about ${formatDuration(Math.ceil(leftMs / 1000) * 1000)} left`;
}

/**
 * Shows on stderr what a command waits for while it works: a spinner on a terminal, elsewhere a line now and then, and
 * nothing unless `isShown`. Within another wait it takes its place. Passes on the result and the error of the work.
 */
export async function whileWaiting<T>(
  output: Output,
  { isShown, text }: { isShown: boolean; text: string },
  work: (show: ShowStep) => Promise<T>,
  clock: WaitClock = systemClock,
): Promise<T> {
  if (!isShown) return work(() => undefined);
  let step: WaitStep = { text };
  let began = clock.now();
  let seen: Seen = { doneBefore: 0, reportedMs: 0 };
  const line = () => describeWait(step, clock.now() - began, seen);
  const outer = output.activity;
  const end = output.isLively ? spin(output, line, clock) : printLines(output, line, clock);
  try {
    return await work((next) => {
      if (next.text !== step.text) {
        began = clock.now();
        seen = { doneBefore: next.done ?? 0, reportedMs: 0 };
      } else if (next.done !== step.done) seen = { ...seen, reportedMs: clock.now() - began };
      step = next;
    });
  } finally {
    end();
    output.activity = outer;
  }
}

function spin(output: Output, line: () => string, { later }: WaitClock): () => void {
  const outer = output.activity;
  let spinner: Ora | undefined;
  let isOver = false;
  let isPaused = false;
  let cancel: () => void;
  const update = () => {
    const width = Math.max(20, (output.errorStream.columns || 80) - 4);
    if (spinner) spinner.text = fitText(line(), width);
    cancel = later(update, FRAME_MS);
  };
  const start = async () => {
    const { default: ora } = await import('ora');
    if (isOver) return;
    outer?.pause();
    spinner = ora({ text: line(), stream: output.errorStream, discardStdin: false });
    if (!isPaused) spinner.start();
    update();
  };
  cancel = later(() => void start(), SHOWN_AFTER_MS);
  output.activity = {
    pause() {
      isPaused = true;
      spinner?.stop();
    },
    resume() {
      isPaused = false;
      spinner?.start();
    },
  };
  return () => {
    isOver = true;
    cancel();
    spinner?.stop();
    if (spinner) outer?.resume();
  };
}

function printLines(output: Output, line: () => string, { later }: WaitClock): () => void {
  const outer = output.activity;
  outer?.pause();
  let isPaused = false;
  const print = () => {
    if (!isPaused) output.note(line());
    cancel = later(print, LINE_EVERY_MS);
  };
  let cancel = later(print, FIRST_LINE_AFTER_MS);
  output.activity = {
    pause: () => void (isPaused = true),
    resume: () => void (isPaused = false),
  };
  return () => {
    cancel();
    outer?.resume();
  };
}
