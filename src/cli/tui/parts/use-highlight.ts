import { useEffect, useState } from 'react';
import type { Highlight } from './highlight-code.ts';
import type { RunEntry } from './run-entry.ts';

/** What colours code: loaded with the first answer, and undefined until then. */
export function useHighlight(entries: readonly RunEntry[]): Highlight | undefined {
  const [highlight, setHighlight] = useState<Highlight>();
  const isNeeded = entries.some(({ kind }) => kind === 'text');
  useEffect(() => {
    let isGone = false;
    const load = async () => {
      const { highlightCode } = await import('./highlight-code.ts');
      if (!isGone) setHighlight(() => highlightCode);
    };
    if (isNeeded) void load();
    return () => {
      isGone = true;
    };
  }, [isNeeded]);
  return highlight;
}
