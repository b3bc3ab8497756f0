import { useCallback, useRef, useState } from 'react';

/** A state that several keys change before the next picture: each of them finds what the one before it did. */
export function useLatestState<State>(
  initial: State,
): [shown: State, change: (to: (present: State) => State) => void, latest: () => State] {
  const [shown, setShown] = useState(initial);
  const present = useRef(initial);
  const change = useCallback((to: (state: State) => State) => {
    present.current = to(present.current);
    setShown(present.current);
  }, []);
  const latest = useCallback(() => present.current, []);
  return [shown, change, latest];
}
