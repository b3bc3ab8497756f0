import { useSyncExternalStore } from 'react';
import { delay } from './undo.tsx';

let removed: readonly string[] = [];
const listeners = new Set<() => void>();
const set = (next: readonly string[]) => {
  removed = next;
  for (const listener of listeners) listener();
};
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** The ids of what is about to be removed, which lists leave out. */
export const useRemoved = (): readonly string[] => useSyncExternalStore(subscribe, () => removed);

/** Hides what has the id at once, and removes it unless that is undone. */
export function removeLater(id: string, message: string, remove: () => Promise<unknown>): void {
  const show = () => set(removed.filter((each) => each !== id));
  set([...removed, id]);
  delay(message, { commit: () => remove().then(show), revert: show });
}
