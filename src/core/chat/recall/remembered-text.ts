import type { Remembered } from '../../../contract/chat.ts';
import { fenceData } from '../../text/fence-data.ts';
import { estimateTokens } from '../../text/token-estimate.ts';
import type { Runtime } from '../../runtime.ts';

/** What the lines around a section come to. */
const FENCE_TOKENS = 60;
/** What is cut shorter than this says nothing. */
const LEAST_TOKENS = 80;

/** One thing to tell, before it is known whether there is room for it. */
export interface Telling {
  /** Where it is from, on a line of its own. */
  head: string;
  remembered: Remembered;
}

export interface Section {
  /** Says whose words these are. */
  what: string;
  /** The best first. */
  tellings: Telling[];
  /** The most that one of them is told with; more is cut. */
  tokensEach: number;
  /** The most that all of them come to. */
  tokens: number;
}

/** The sections as far as they fit, each fenced as data, and what of them was told. */
export function tellSections(
  runtime: Runtime,
  sections: readonly Section[],
  tokens: number,
): { text: string | undefined; memory: Remembered[] } {
  const texts: string[] = [];
  const memory: Remembered[] = [];
  let left = tokens;
  for (const { what, tellings, tokensEach, tokens: ofSection } of sections) {
    let room = Math.min(left, ofSection) - FENCE_TOKENS;
    const parts: string[] = [];
    for (const { head, remembered } of tellings) {
      const title = `[${parts.length + 1}] ${head}\n`;
      const most = Math.min(tokensEach, room - estimateTokens(title) - 2);
      const isWhole = estimateTokens(remembered.text) <= most;
      if (!isWhole && most < Math.min(LEAST_TOKENS, tokensEach)) continue;
      const text = firstTokens(remembered.text, most);
      const part = title + text;
      const size = estimateTokens(part) + 1;
      room -= size;
      left -= size;
      parts.push(part);
      memory.push({ ...remembered, text });
    }
    if (parts.length === 0) continue;
    left -= FENCE_TOKENS;
    texts.push(fenceData(runtime, what, parts.join('\n\n')));
  }
  return { text: texts.length === 0 ? undefined : texts.join('\n\n'), memory };
}

/** The beginning of a text that comes to at most `tokens`. */
export function firstTokens(text: string, tokens: number): string {
  let cut = text;
  for (let size = estimateTokens(cut); size > tokens; size = estimateTokens(cut))
    cut = cut.slice(0, Math.min(Math.floor((cut.length * tokens) / size), cut.length - 1));
  return cut === text ? text : `${cut.replace(/[\uD800-\uDBFF]$/, '')}…`;
}
