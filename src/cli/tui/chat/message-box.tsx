import { Box, useCursor } from 'ink';
import type { EditorLayout } from '../editor/render-editor.ts';
import type { Line } from '../parts/line.ts';
import { LinesView } from '../parts/line-view.tsx';
import { choiceLines } from './picker.tsx';
import type { SlashCommand } from './slash-commands.ts';

/** How many commands are listed at once. */
const MOST_ROWS = 6;

const completionRows = (completions: readonly SlashCommand[]) => Math.min(MOST_ROWS, completions.length);

/** How many rows the message takes that is being written. */
export const messageRows = (editor: EditorLayout, completions: readonly SlashCommand[]): number =>
  editor.lines.length + completionRows(completions);

interface Props {
  editor: EditorLayout;
  completions: readonly SlashCommand[];
  chosen: number;
  width: number;
  /** The row of the screen in which it begins. */
  top: number;
}

/** Where a message is written, with the commands that it may become above it. */
export function MessageBox({ editor, completions, chosen, width, top }: Props) {
  const { setCursorPosition } = useCursor();
  const rows = completionRows(completions);
  setCursorPosition({ x: editor.cursor.x, y: top + rows + editor.cursor.y });
  const choices = completions.map(({ name, summary }) => ({ value: `/${name}`, text: summary }));
  const listed: Line[] = rows === 0 ? [] : choiceLines(choices, { chosen, rows, width });
  return (
    <Box flexDirection="column" flexShrink={0}>
      <LinesView lines={[...listed, ...editor.lines]} />
    </Box>
  );
}
