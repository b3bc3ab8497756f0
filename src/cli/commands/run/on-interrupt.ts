import { CliError } from '../../errors/cli-error.ts';

/** The launcher and the terminal may both deliver one Ctrl-C. */
const TWIN_MS = 150;

/** The signals that end a run, with the exit code that each stands for. */
export const interruptCodes = { SIGINT: 130, SIGTERM: 143 } as const;
export type Interrupt = keyof typeof interruptCodes;

/** Calls `onFirst` on the first Ctrl-C or SIGTERM; a second one exits at once. Returns a function that unregisters. */
export function onInterrupt(onFirst: (signal: Interrupt) => void): () => void {
  let first: number | undefined;
  const handle = (signal: Interrupt) => {
    const now = performance.now();
    if (first === undefined) {
      first = now;
      onFirst(signal);
    } else if (now - first > TWIN_MS) {
      process.exit(interruptCodes[signal]);
    }
  };
  const signals = Object.keys(interruptCodes) as Interrupt[];
  const listeners = signals.map((signal) => [signal, () => handle(signal)] as const);
  for (const [signal, listener] of listeners) process.on(signal, listener);
  return () => {
    for (const [signal, listener] of listeners) process.off(signal, listener);
  };
}

/**
 * Does work whose signal the first Ctrl-C or SIGTERM aborts, so that it can remove what is not finished; then throws what
 * `explain` says at that moment.
 */
export async function untilInterrupted<T>(
  explain: () => { message: string; next?: string },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const forget = onInterrupt((name) => {
    const { message, next } = explain();
    stopping.abort(new CliError(interruptCodes[name], message, next === undefined ? {} : { next }));
  });
  try {
    return await work(stopping.signal);
  } catch (error) {
    throw stopping.signal.aborted ? stopping.signal.reason : error;
  } finally {
    forget();
  }
}
