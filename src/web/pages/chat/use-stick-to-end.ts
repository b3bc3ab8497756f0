import { type RefCallback, useCallback, useEffect, useRef, useState } from 'react';

/** So many pixels from the end still count as the end. */
const NEAR = 80;

const distance = () => document.documentElement.scrollHeight - scrollY - innerHeight;
const toEnd = () => scrollTo({ top: document.documentElement.scrollHeight, behavior: 'instant' });

/** Keeps the end of a growing element in view while one looks at it; who scrolled up stays there. */
export function useStickToEnd(): { ref: RefCallback<HTMLElement>; isAtEnd: boolean; toEnd: () => void } {
  const isStuck = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);
  useEffect(() => {
    let before = scrollY;
    const onScroll = () => {
      const isUp = scrollY < before;
      before = scrollY;
      const isNear = distance() < NEAR;
      // What grows moves the end away, and only a person moves up.
      if (isNear) isStuck.current = true;
      else if (isUp) isStuck.current = false;
      setAtEnd(isNear || isStuck.current);
    };
    addEventListener('scroll', onScroll, { passive: true });
    return () => removeEventListener('scroll', onScroll);
  }, []);
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return;
    const observer = new ResizeObserver(() => {
      if (isStuck.current) toEnd();
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return {
    ref,
    isAtEnd,
    toEnd: () => {
      isStuck.current = true;
      toEnd();
    },
  };
}
