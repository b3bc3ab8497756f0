import { useMemo, useState } from 'react';
import type { Folding } from '../parts/render-entry.ts';
import { Rows } from '../parts/rows.ts';
import { scrollBy, type ScrollTop, viewOf } from '../parts/scroll.ts';
import { TranscriptLayout } from '../parts/transcript-layout.ts';
import { useHighlight } from '../parts/use-highlight.ts';
import type { ChatState } from './chat-state.ts';
import { emptyLines } from './empty-lines.ts';

/** The rows of a chat that are in view, and how to move among them. */
export function useTranscript(
  { run: { entries }, firstShown, isWithoutProvider, settings: { agent } }: ChatState,
  { width, height, folder }: { width: number; height: number; folder: string },
) {
  const [layout] = useState(() => new TranscriptLayout());
  const [top, setTop] = useState<ScrollTop>();
  const [shownParts, setShownParts] = useState({ isThinkingShown: false, areResultsShown: false });
  const highlight = useHighlight(entries);
  const folding = useMemo<Folding>(() => ({ ...shownParts, highlight }), [shownParts, highlight]);
  const shown = useMemo(() => entries.slice(firstShown), [entries, firstShown]);
  const lines = useMemo(
    () =>
      entries.length === 0
        ? new Rows([emptyLines({ folder, isWithoutProvider, agent }, width)])
        : layout.rows(shown, width, folding),
    [entries.length, shown, width, folding, folder, isWithoutProvider, agent, layout],
  );
  return {
    view: viewOf(lines, top, height),
    scroll: (rows: number) => setTop((present) => scrollBy(present, rows, { total: lines.length, height })),
    toEnd: () => setTop(undefined),
    toggle: (what: keyof typeof shownParts) =>
      setShownParts((present) => ({ ...present, [what]: !present[what] })),
  };
}
