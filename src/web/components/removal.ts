import { useSyncExternalStore } from 'react';
import { delay } from './undo.tsx';

let removed: ReadonlySet<string> = new Set();
const listeners = new Set<() => void>();
const set = (next: ReadonlySet<string>) => {
  removed = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** What is about to be deleted, by id; no page shows it. */
export const useRemoved = (): ReadonlySet<string> => useSyncExternalStore(subscribe, () => removed);

/** Hides something on every page and deletes it, unless that is undone. `commit` also reads the lists again that held it. */
export function remove(id: string, message: string, commit: () => Promise<unknown>): void {
  const show = () => set(new Set([...removed].filter((each) => each !== id)));
  set(new Set([...removed, id]));
  delay(message, { commit: () => commit().then(show), revert: show });
}
