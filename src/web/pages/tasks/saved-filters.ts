import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { sessionQuery } from '../../queries/session.ts';
import { readTasksSearch, type TasksSearch } from './tasks-search.ts';

/** A search of the tasks page under a name. */
export interface SavedFilter {
  name: string;
  /** As it is in the URL, without what is open beside the list. */
  search: string;
}

/** How a search is kept and compared. */
export const searchOf = ({ status, q, label, agent, view }: TasksSearch): string =>
  defaultStringifySearch({ status, q, label, agent, view });

export const readSaved = (search: string): TasksSearch => readTasksSearch(defaultParseSearch(search));

const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
  listeners.add(listener);
  // Another tab may change them.
  addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    removeEventListener('storage', listener);
  };
};

export interface SavedFilters {
  filters: readonly SavedFilter[];
  change: (update: (filters: readonly SavedFilter[]) => readonly SavedFilter[]) => void;
}

/** The filters that this person saved in this browser. */
export function useSavedFilters(): SavedFilters {
  const { data: session } = useQuery(sessionQuery);
  const key = session?.authenticated ? `task-filters:${session.user.id}` : undefined;
  const text = useSyncExternalStore(subscribe, () => (key ? localStorage.getItem(key) : null));
  return useMemo(
    () => ({
      filters: parseFilters(text),
      change: (update) => {
        if (!key) return;
        localStorage.setItem(key, JSON.stringify(update(parseFilters(localStorage.getItem(key)))));
        for (const listener of listeners) listener();
      },
    }),
    [key, text],
  );
}

/** Another version of svc, or a person, may have written something else there. */
function parseFilters(text: string | null): SavedFilter[] {
  let stored: unknown;
  try {
    stored = JSON.parse(text ?? '[]');
  } catch {
    return [];
  }
  if (!Array.isArray(stored)) return [];
  return (stored as unknown[]).filter(
    (each): each is SavedFilter =>
      typeof each === 'object' &&
      each !== null &&
      'name' in each &&
      typeof each.name === 'string' &&
      'search' in each &&
      typeof each.search === 'string',
  );
}
