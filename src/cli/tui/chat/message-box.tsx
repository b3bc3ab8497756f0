import { Box, useCursor } from 'ink';
import type { EditorLayout } from '../editor/render-editor.ts';
import type { Line } from '../parts/line.ts';
import { LinesView } from '../parts/line-view.tsx';
import type { Completions } from './find-completions.ts';
import { choiceLines } from './picker.tsx';

/** How many completions are listed at once. */
const MOST_ROWS = 6;

const completionRows = ({ choices }: Completions) => Math.min(MOST_ROWS, choices.length);

/** How many rows the message takes that is being written. */
export const messageRows = (editor: EditorLayout, completions: Completions): number =>
  editor.lines.length + completionRows(completions);

interface Props {
  editor: EditorLayout;
  completions: Completions;
  chosen: number;
  width: number;
  /** The row of the screen in which it begins. */
  top: number;
}

/** Where a message is written, with what it may be completed to above it. */
export function MessageBox({ editor, completions, chosen, width, top }: Props) {
  const { setCursorPosition } = useCursor();
  const rows = completionRows(completions);
  setCursorPosition({ x: editor.cursor.x, y: top + rows + editor.cursor.y });
  const listed: Line[] = rows === 0 ? [] : choiceLines(completions.choices, { chosen, rows, width });
  return (
    <Box flexDirection="column" flexShrink={0}>
      <LinesView lines={[...listed, ...editor.lines]} />
    </Box>
  );
}
