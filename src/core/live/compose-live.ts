import type { Feature } from '../lifecycle.ts';
import { version } from '../version.ts';
import { LiveFeed, type LiveFeedDeps } from './live-feed.ts';

/** Wires the feed of live events. */
export function composeLive(deps: Omit<LiveFeedDeps, 'version'>): Feature<{ live: LiveFeed }> {
  return { services: { live: new LiveFeed({ ...deps, version }) } };
}
