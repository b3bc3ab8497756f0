import { Box, type Key, useInput } from 'ink';
import { useMemo, useState } from 'react';
import type { Line } from '../parts/line.ts';
import { LinesView } from '../parts/line-view.tsx';
import { scrollBy, type ScrollTop, viewOf } from '../parts/scroll.ts';
import { TranscriptLayout } from '../parts/transcript-layout.ts';
import { renderTaskHead } from './render-status.ts';
import { eachKey, stepOf } from './watch-keys.ts';
import type { AttachedRun } from './watch-state.ts';

interface Props {
  attached: AttachedRun;
  width: number;
  height: number;
  /** Epoch milliseconds. */
  time: number;
  isAsking: boolean;
  /** Whether its keys are its own at the moment. */
  isActive: boolean;
}

/** The live output of a task; follows the end until the user scrolls up. Use the task ID as its key. */
export function RunPane({ attached, width, height, time, isAsking, isActive }: Props) {
  const [layout] = useState(() => new TranscriptLayout());
  const [folding, setFolding] = useState({ areResultsShown: false, isThinkingShown: false });
  const [top, setTop] = useState<ScrollTop>();
  const { entries } = attached.run;
  const lines = useMemo(() => layout.rows(entries, width, folding), [layout, entries, width, folding]);
  const head = renderTaskHead(attached, { width, now: time, isAsking });
  const rows = Math.max(1, height - head.length);
  const size = { total: lines.length, height: rows };

  const press = (input: string, key: Key) => {
    if (key.ctrl || key.meta) return;
    if (input === 'o') setFolding((present) => ({ ...present, areResultsShown: !present.areResultsShown }));
    if (input === 't') setFolding((present) => ({ ...present, isThinkingShown: !present.isThinkingShown }));
    const by = stepOf(input, key, Math.max(1, rows - 2));
    if (by !== undefined) setTop((present) => scrollBy(present, by, size));
  };
  useInput((input, key) => eachKey(input, (letter) => press(letter, key)), { isActive });

  const { rows: shown, below } = viewOf(lines, top, rows);
  const more: Line[] =
    below > 0 ? [[{ text: `… ${below + 1} more rows below: End`, style: { tone: 'muted' } }]] : [];
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden" flexShrink={0}>
      <LinesView lines={[...head, ...(below > 0 ? shown.slice(0, -1) : shown), ...more]} />
    </Box>
  );
}
