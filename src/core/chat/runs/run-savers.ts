import type { Log } from '../../log.ts';
import { messageOf } from '../../errors.ts';
import type { AgentRunStore } from './agent-run-store.ts';
import type { RunStorage } from './run-policy.ts';
import type { RunState } from './run-state.ts';

/** The most that a crash loses of the text of a step, in milliseconds. */
const SAVE_EVERY_MS = 500;

export interface RunSavers extends Required<Pick<RunStorage, 'save' | 'savePartial'>> {
  /** Saves no more text, because it is stored otherwise. */
  stop: () => void;
}

interface SaverOptions {
  /** What is stored of the state. */
  storedOf?: (state: RunState) => RunState;
  /** Of the daemon that runs a message; another one may have resumed it. */
  fence?: number;
}

/** Saves the state of a run, and the text of its current step now and then, so that a crash loses little of it. */
export function runSavers(
  { runs, log }: { runs: Pick<AgentRunStore, 'save'>; log: Pick<Log, 'warn'> },
  runId: string,
  { storedOf = (state: RunState) => state, fence }: SaverOptions = {},
): RunSavers {
  let timer: NodeJS.Timeout | undefined;
  let text = '';
  const savePartial = () => {
    timer = undefined;
    runs
      .save(runId, { partial: text }, fence)
      .catch((error: unknown) =>
        log.warn({ runId, reason: messageOf(error) }, 'a partial answer was not saved'),
      );
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    save: (state) => {
      stop();
      return runs.save(runId, { state: JSON.stringify(storedOf(state)), partial: null }, fence);
    },
    // Not at once: the commit would block the event loop while a client waits for the first text.
    savePartial: (partial) => {
      text = partial;
      timer ??= setTimeout(savePartial, SAVE_EVERY_MS).unref();
    },
    stop,
  };
}
