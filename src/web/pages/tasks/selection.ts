import { useCallback, useEffect, useMemo, useState } from 'react';
import type { ListedTask } from '../../../contract/task.ts';
import { live } from '../../live/live-feed.ts';

export interface Selection {
  /** As they were last heard of. */
  tasks: ReadonlyMap<string, ListedTask>;
  toggle: (task: ListedTask) => void;
  set: (tasks: readonly ListedTask[]) => void;
}

/** The tasks that a person has chosen, to do something with all of them. */
export function useSelection(): Selection {
  const [tasks, setTasks] = useState<ReadonlyMap<string, ListedTask>>(new Map());
  useEffect(
    () =>
      live.onMessage((message) => {
        if (message.type !== 'task') return;
        const { task } = message;
        setTasks((old) => {
          const known = old.get(task.id);
          if (!known || known.status === task.status) return old;
          return new Map(old).set(task.id, { ...known, ...task });
        });
      }),
    [],
  );
  const toggle = useCallback((task: ListedTask) => {
    setTasks((old) => {
      const next = new Map(old);
      if (!next.delete(task.id)) next.set(task.id, task);
      return next;
    });
  }, []);
  const set = useCallback(
    (chosen: readonly ListedTask[]) => setTasks(new Map(chosen.map((task) => [task.id, task]))),
    [],
  );
  return useMemo(() => ({ tasks, toggle, set }), [tasks, toggle, set]);
}
