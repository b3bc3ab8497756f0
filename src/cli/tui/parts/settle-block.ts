import type { Token, Tokens } from 'marked';

/** So much of a block that is still being written is read again with every piece of it. */
const MOST_CHARACTERS = 4_000;
const KEPT_CHARACTERS = 1_000;

/** The beginning of a block, which will not change. */
export interface SettledPart {
  /** Its source. */
  source: string;
  /** What the rest of the block needs before it to be read as the same block; undefined where a blank row stands between them. */
  opening?: string | undefined;
}

/** Splits a long block that is being written; undefined where it is short or cannot be split. */
export function settlePart(block: Token): SettledPart | undefined {
  if (block.raw.length < MOST_CHARACTERS) return undefined;
  if (block.type === 'code') return settleCode(block.raw);
  if (block.type === 'list') return settleItems(block as Tokens.List);
  return block.type === 'paragraph' ? settleWords(block.raw) : undefined;
}

function settleCode(raw: string): SettledPart | undefined {
  const opening = /^(?:```|~~~)[^\n]*\n/.exec(raw)?.[0];
  const end = raw.lastIndexOf('\n', raw.length - KEPT_CHARACTERS) + 1;
  return opening === undefined || end <= opening.length ? undefined : { source: raw.slice(0, end), opening };
}

/** The last items stay, because more may belong to them. */
function settleItems({ items, loose }: Tokens.List): SettledPart | undefined {
  let kept = 0;
  const first = items.findLastIndex(({ raw }) => (kept += raw.length) > KEPT_CHARACTERS);
  const settled = items.slice(0, Math.max(0, first));
  if (settled.length === 0) return undefined;
  return { source: settled.map(({ raw }) => raw).join(''), opening: loose ? undefined : '' };
}

/** A paragraph of this length is split between words, at the price of a row that ends early. */
function settleWords(raw: string): SettledPart | undefined {
  const end = raw.lastIndexOf(' ', raw.length - KEPT_CHARACTERS) + 1;
  return end === 0 ? undefined : { source: raw.slice(0, end), opening: '' };
}
