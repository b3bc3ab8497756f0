import { type RefObject, useCallback, useEffect, useRef } from 'react';

/** Input this soon after buttons appeared or moved was meant for something else. */
const STEADY_MS = 400;
/** Less than this is not a move. */
const MOVED_PX = 2;

/** Answers whether the buttons in an element have stood still for a moment, wherever the page put them. */
export function useSteady(element: RefObject<HTMLElement | null>, key: string): () => boolean {
  const since = useRef(0);
  useEffect(() => {
    const place = () => element.current?.getBoundingClientRect().top ?? 0;
    since.current = performance.now();
    let last = place();
    const look = () => {
      const now = place();
      if (Math.abs(now - last) > MOVED_PX) since.current = performance.now();
      last = now;
    };
    // What moves a button changes the size of something around it, or scrolls.
    const sizes = new ResizeObserver(look);
    for (let around = element.current; around; around = around.parentElement) sizes.observe(around);
    addEventListener('scroll', look, { capture: true, passive: true });
    return () => {
      sizes.disconnect();
      removeEventListener('scroll', look, { capture: true });
    };
  }, [element, key]);
  return useCallback(() => performance.now() - since.current >= STEADY_MS, []);
}
