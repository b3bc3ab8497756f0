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
