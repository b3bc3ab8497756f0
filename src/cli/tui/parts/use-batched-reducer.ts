import { useCallback, useEffect, useRef, useState } from 'react';

/** A terminal needs no more than these many milliseconds between two pictures. */
const INTERVAL_MS = 50;

/**
 * A state that many events change: those that come within 50 ms change it once. `push` takes an event that may wait,
 * `apply` one that answers a key, with all that came before it.
 */
export function useBatchedReducer<State, Event>(
  reduce: (state: State, events: readonly Event[]) => State,
  initial: State,
): { state: State; push: (event: Event) => void; apply: (event: Event) => void } {
  const [state, setState] = useState(initial);
  const waiting = useRef<Event[]>([]);
  const timer = useRef<NodeJS.Timeout>(undefined);
  const flush = useCallback(() => {
    clearTimeout(timer.current);
    timer.current = undefined;
    const events = waiting.current;
    waiting.current = [];
    if (events.length > 0) setState((present) => reduce(present, events));
  }, [reduce]);
  const push = useCallback(
    (event: Event) => {
      waiting.current.push(event);
      timer.current ??= setTimeout(flush, INTERVAL_MS);
    },
    [flush],
  );
  const apply = useCallback(
    (event: Event) => {
      waiting.current.push(event);
      flush();
    },
    [flush],
  );
  useEffect(() => () => clearTimeout(timer.current), []);
  return { state, push, apply };
}
