import { useSyncExternalStore } from 'react';
import { problemText } from './problem.tsx';

/** How long something can be taken back before it is done. */
const UNDO_MS = 6000;

interface Delayed {
  id: number;
  message: string;
  commit: () => Promise<unknown>;
  revert: () => void;
  timer: number;
  /** Nothing that waits: something that did not work. */
  isProblem?: boolean;
}

let last = 0;
let waiting: readonly Delayed[] = [];
const listeners = new Set<() => void>();
const set = (next: readonly Delayed[]) => {
  waiting = next;
  for (const listener of listeners) listener();
};

function finish(item: Delayed, isUndone: boolean): void {
  clearTimeout(item.timer);
  if (!waiting.includes(item)) return;
  set(waiting.filter((each) => each !== item));
  if (isUndone) return item.revert();
  item.commit().catch((error: unknown) => {
    item.revert();
    failed(`That did not work: ${problemText(error)}`);
  });
}

/** Says that something was not done, until it is read. */
function failed(message: string): void {
  const item: Delayed = {
    id: ++last,
    message,
    commit: async () => undefined,
    revert: () => undefined,
    timer: 0,
  };
  set([...waiting, { ...item, isProblem: true }]);
}

/**
 * Shows that something is gone, with a way back for six seconds; then does it. `revert` is called where it is taken back,
 * or fails. It is also done when the page goes away.
 */
export function delay(message: string, { commit, revert }: Pick<Delayed, 'commit' | 'revert'>): void {
  const item: Delayed = {
    id: ++last,
    message,
    commit,
    revert,
    timer: setTimeout(() => finish(item, false), UNDO_MS),
  };
  set([...waiting, item]);
}

addEventListener('pagehide', () => {
  for (const item of waiting) finish(item, false);
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** What can still be taken back. */
export function UndoList() {
  const items = useSyncExternalStore(subscribe, () => waiting);
  return (
    <div className="undo" role="status">
      {items.map((item) => (
        <div key={item.id} className="undo-item">
          {item.message}
          <button type="button" className="button quiet" onClick={() => finish(item, true)}>
            {item.isProblem ? 'Dismiss' : 'Undo'}
          </button>
        </div>
      ))}
    </div>
  );
}
