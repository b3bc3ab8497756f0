import { useApp } from 'ink';
import { useCallback, useEffect, useRef, useState } from 'react';

/** For how long a second Ctrl+C leaves. */
const AGAIN_MS = 2000;

/** Leaving takes two presses, so that one too many does not end the chat. */
export function useLeave(): { isLeaving: boolean; press: () => void; leave: () => void } {
  const { exit } = useApp();
  const [isLeaving, setLeaving] = useState(false);
  const timer = useRef<NodeJS.Timeout>(undefined);
  const leave = useCallback(() => exit(), [exit]);
  const press = useCallback(() => {
    if (timer.current) return leave();
    setLeaving(true);
    timer.current = setTimeout(() => {
      timer.current = undefined;
      setLeaving(false);
    }, AGAIN_MS);
  }, [leave]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return { isLeaving, press, leave };
}
