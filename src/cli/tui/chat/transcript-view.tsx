import { Box } from 'ink';
import type { Line } from '../parts/line.ts';
import { LinesView, LineView } from '../parts/line-view.tsx';

interface Props {
  view: { rows: readonly Line[]; below: number };
  width: number;
  height: number;
}

/** The rows in view, and a rule below them that says when there are more. */
export function TranscriptView({ view: { rows, below }, width, height }: Props) {
  const more = below === 0 ? '' : ` ${below} more below · PgDn `;
  const rule = `${'─'.repeat(Math.max(0, width - more.length - (more === '' ? 0 : 2)))}${more}${more === '' ? '' : '──'}`;
  return (
    <>
      <Box flexDirection="column" height={height} flexShrink={0} overflow="hidden">
        <LinesView lines={rows} />
      </Box>
      <LineView line={[{ text: rule, style: { tone: below === 0 ? 'muted' : 'accent' } }]} />
    </>
  );
}
