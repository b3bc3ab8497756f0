import { type FunctionComponent, lazy, type LazyExoticComponent, type ReactNode } from 'react';
import { untilLoaded } from '../live/until-loaded.ts';

/**
 * A part that is loaded with its first use, or once the page has nothing else to do: then it is there when it is needed,
 * also while the daemon is away.
 */
export function lazyPart<Name extends string, Props>(
  load: () => Promise<Record<Name, (props: Props) => ReactNode>>,
  name: Name,
  /** Whether it is loaded before it is needed; not what looks at the address as soon as it is loaded. */
  isPreloaded = true,
): LazyExoticComponent<FunctionComponent<Props>> {
  const whenIdle = () => void load().catch(() => undefined);
  // Safari has no idle callbacks.
  if (!isPreloaded) return lazyOf(load, name);
  if (typeof requestIdleCallback === 'function') requestIdleCallback(whenIdle, { timeout: 10_000 });
  else setTimeout(whenIdle, 3000);
  return lazyOf(load, name);
}

const lazyOf = <Name extends string, Props>(
  load: () => Promise<Record<Name, (props: Props) => ReactNode>>,
  name: Name,
) => lazy(async () => ({ default: (await untilLoaded(load))[name] }));
