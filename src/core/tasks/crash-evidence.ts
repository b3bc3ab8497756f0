import type { TaskHead } from '../storage/rows/tasks.ts';

/** A task with this many crashes against it is not tried again. */
const POISON_CRASHES = 2;

/** What speaks against a task: how many tasks were in flight when the daemon died, itself included. */
interface Evidence {
  at: string;
  inFlight: number;
}

/** What a crash of the daemon means for a task that was in flight. */
export interface Verdict {
  change: Pick<TaskHead, 'crashes' | 'suspect' | 'crash_log'>;
  /** Whether the crash counts against the task. */
  counts: boolean;
  /** Why the task is not tried again; undefined where it is. */
  poison?: string;
}

/**
 * Judges the tasks that were in flight when the daemon died. The crash counts against a task that was alone, or that was
 * the only one suspected already. Where several may have been it, all become suspects; those run apart from each other,
 * so that the next crash says more. `suspect` counts the crashes without a verdict.
 */
export function judgeCrash(inFlight: readonly TaskHead[], at: string): (task: TaskHead) => Verdict {
  const suspects = inFlight.filter(({ suspect }) => suspect > 0);
  const candidates = suspects.length > 0 ? suspects : inFlight;
  return (task) => {
    const { crashes, suspect, crash_log } = task;
    const unchanged = { crashes, suspect, crash_log };
    if (!candidates.includes(task)) return { change: unchanged, counts: false };
    const suspected = { ...unchanged, suspect: suspect + 1 };
    if (candidates.length > 1) return { change: suspected, counts: false };
    const log = [...readLog(crash_log), { at, inFlight: inFlight.length }];
    const change = { suspect: suspected.suspect, crashes: crashes + 1, crash_log: JSON.stringify(log) };
    const isPoison = change.crashes >= POISON_CRASHES;
    return { change, counts: true, ...(isPoison && { poison: describe(log) }) };
  };
}

/** How long a suspect runs before the next one starts beside it: longer after each crash without a verdict. */
export const probationMs = (suspect: number): number => 5000 * 6 ** Math.min(suspect - 1, 4);

const readLog = (text: string | null): Evidence[] => (text === null ? [] : (JSON.parse(text) as Evidence[]));

function describe(log: readonly Evidence[]): string {
  const evidence = log.map(({ at, inFlight }) =>
    inFlight === 1
      ? `no other task was running (found ${at})`
      : `it was the only suspect among ${inFlight} running tasks (found ${at})`,
  );
  return `The daemon died ${log.length} times while this task ran: ${evidence.join('; ')}`;
}
