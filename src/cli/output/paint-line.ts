import type { Line, Tone } from '../tui/parts/line.ts';
import type { Output, Paint } from './output.ts';

const styles: Partial<Record<Tone, Parameters<Paint>[0]>> = { good: 'green', bad: 'red', muted: 'dim' };

/** A row of a screen as text for stderr, in its colours. */
export const paintLine = (line: Line, { paintError }: Pick<Output, 'paintError'>): string =>
  line
    .map(({ text, style }) => {
      const painted = style?.tone && styles[style.tone];
      return painted ? paintError(painted, text) : text;
    })
    .join('');
