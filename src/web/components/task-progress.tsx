import type { ListedTask } from '../../contract/task.ts';
import { Elapsed } from './task-time.tsx';
import { formatNumber } from './format-number.ts';

/** `step 4 · 12 s · 8,120 tok` while a task runs; what its agent does not report is left out. */
export function TaskProgress({ task: { progress = {}, startedAt } }: { task: ListedTask }) {
  const { step, tokens } = progress;
  return (
    <span className="progress">
      {step !== undefined && <span>step {formatNumber(step)}</span>}
      {startedAt && <Elapsed since={startedAt} />}
      {tokens !== undefined && (
        <span>
          {formatNumber(tokens)} <abbr title="tokens">tok</abbr>
        </span>
      )}
    </span>
  );
}
