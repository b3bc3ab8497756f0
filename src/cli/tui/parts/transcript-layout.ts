import { type EntryLayout, type Folding, renderEntry } from './render-entry.ts';
import type { Line } from './line.ts';
import { Rows } from './rows.ts';
import type { RunEntry } from './run-entry.ts';

interface Kept extends EntryLayout {
  entry: RunEntry;
  width: number;
  folding: Folding;
}

const gap: readonly Line[] = [[]];

/** Lays entries out below each other, and remembers the rows of those that did not change. */
export class TranscriptLayout {
  #kept = new Map<string, Kept>();

  /** The rows of all entries; a blank one stands between two that are not tool calls both. */
  rows(entries: readonly RunEntry[], width: number, folding: Folding): Rows {
    const kept = new Map<string, Kept>();
    const lists: (readonly Line[])[] = [];
    for (const [at, entry] of entries.entries()) {
      const layout = this.#render(entry, width, folding);
      kept.set(entry.key, layout);
      if (at > 0 && !belongTogether(entries[at - 1], entry, folding)) lists.push(gap);
      for (const list of layout.lists) lists.push(list);
    }
    this.#kept = kept;
    return new Rows(lists);
  }

  #render(entry: RunEntry, width: number, folding: Folding): Kept {
    const earlier = this.#kept.get(entry.key);
    const isFitting = earlier?.width === width && earlier.folding === folding;
    if (isFitting && earlier.entry === entry) return earlier;
    return { ...renderEntry(entry, width, folding, isFitting ? earlier : undefined), entry, width, folding };
  }
}

const isShort = (entry: RunEntry | undefined) => entry?.kind === 'tool' || entry?.kind === 'thinking';

const belongTogether = (before: RunEntry | undefined, entry: RunEntry, { areResultsShown }: Folding) =>
  isShort(before) && isShort(entry) && !areResultsShown;
