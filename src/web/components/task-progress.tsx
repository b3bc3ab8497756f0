import type { ListedTask } from '../../contract/task.ts';
import { Elapsed } from './task-time.tsx';

/** `step 4 · 12 s · 8,120 tok` while a task runs; what its agent does not report is left out. */
export function TaskProgress({ task: { progress = {}, startedAt } }: { task: ListedTask }) {
  const { step, tokens } = progress;
  return (
    <span className="progress">
      {step !== undefined && <span>step {step.toLocaleString()}</span>}
      {startedAt && <Elapsed since={startedAt} />}
      {tokens !== undefined && (
        <span>
          {tokens.toLocaleString()} <abbr title="tokens">tok</abbr>
        </span>
      )}
    </span>
  );
}
