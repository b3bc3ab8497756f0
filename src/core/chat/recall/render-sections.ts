import type { RecalledMemory } from '../../../contract/chat.ts';
import { fenceData } from '../../text/fence-data.ts';
import { estimateTokens } from '../../text/token-estimate.ts';
import type { Runtime } from '../../runtime.ts';

/** Tokens of the fence around a section. */
const FENCE_TOKENS = 60;
/** An item truncated below this is not useful. */
const MIN_TOKENS = 80;

/** One memory item that may or may not fit into the budget. */
export interface RecallItem {
  /** Its origin, on a line of its own. */
  head: string;
  remembered: RecalledMemory;
}

export interface Section {
  /** Names the source of the content. */
  title: string;
  /** Best first. */
  items: RecallItem[];
  /** Maximum per item; longer items are truncated. */
  tokensEach: number;
  /** Maximum for the whole section. */
  tokens: number;
}

/** Renders the sections within a token budget, each fenced as data, and returns the items that were included. */
export function renderSections(
  runtime: Runtime,
  sections: readonly Section[],
  tokens: number,
): { text: string | undefined; memory: RecalledMemory[] } {
  const texts: string[] = [];
  const memory: RecalledMemory[] = [];
  let remaining = tokens;
  for (const { title, items, tokensEach, tokens: sectionTokens } of sections) {
    let budget = Math.min(remaining, sectionTokens) - FENCE_TOKENS;
    const parts: string[] = [];
    for (const { head, remembered } of items) {
      const heading = `[${parts.length + 1}] ${head}\n`;
      const available = Math.min(tokensEach, budget - estimateTokens(heading) - 2);
      const isWhole = estimateTokens(remembered.text) <= available;
      if (!isWhole && available < Math.min(MIN_TOKENS, tokensEach)) continue;
      const text = truncateToTokens(remembered.text, available);
      const part = heading + text;
      const size = estimateTokens(part) + 1;
      budget -= size;
      remaining -= size;
      parts.push(part);
      memory.push({ ...remembered, text });
    }
    if (parts.length === 0) continue;
    remaining -= FENCE_TOKENS;
    texts.push(fenceData(runtime, title, parts.join('\n\n')));
  }
  return { text: texts.length === 0 ? undefined : texts.join('\n\n'), memory };
}

/** Truncates a text to at most `tokens` tokens. */
export function truncateToTokens(text: string, tokens: number): string {
  let cut = text;
  for (let size = estimateTokens(cut); size > tokens; size = estimateTokens(cut))
    cut = cut.slice(0, Math.min(Math.floor((cut.length * tokens) / size), cut.length - 1));
  return cut === text ? text : `${cut.replace(/[\uD800-\uDBFF]$/, '')}…`;
}
