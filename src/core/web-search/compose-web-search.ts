import type { Feature } from '../lifecycle.ts';
import { WebSearch, type WebSearchDeps } from './web-search.ts';

/** Wires web search. */
export function composeWebSearch(deps: WebSearchDeps): Feature<{ webSearch: WebSearch }> {
  return { services: { webSearch: new WebSearch(deps) } };
}
