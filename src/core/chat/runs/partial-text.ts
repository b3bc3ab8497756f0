import type { Log } from '../../log.ts';
import { messageOf } from '../../errors.ts';
import type { Runtime } from '../../runtime.ts';
import type { AgentRunStore } from './agent-run-store.ts';

/** How often the text of a step is saved while it grows. */
const SAVE_EVERY_MS = 500;

/** Saves the text of the current step of a run now and then, so that a crash loses little of it. */
export function partialSaver(
  { runs, runtime, log }: { runs: AgentRunStore; runtime: Pick<Runtime, 'monotonic'>; log: Log },
  runId: string,
): (text: string) => void {
  let savedAt = -Infinity;
  let isSaving = false;
  return (partial) => {
    if (isSaving || runtime.monotonic() - savedAt < SAVE_EVERY_MS) return;
    isSaving = true;
    savedAt = runtime.monotonic();
    runs
      .save(runId, { partial })
      .catch((error: unknown) =>
        log.warn({ runId, reason: messageOf(error) }, 'a partial answer was not saved'),
      )
      .finally(() => (isSaving = false));
  };
}
