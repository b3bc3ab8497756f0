import type { Feature } from '../lifecycle.ts';
import { LiveFeed, type LiveFeedDeps } from './live-feed.ts';

/** Wires the feed of live events. */
export function composeLive(deps: LiveFeedDeps): Feature<{ live: LiveFeed }> {
  return { services: { live: new LiveFeed(deps) } };
}
