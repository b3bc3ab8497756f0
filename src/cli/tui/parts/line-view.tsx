import { Text } from 'ink';
import { memo, use } from 'react';
import type { Line } from './line.ts';
import { lookOf, ThemeContext } from './theme.tsx';

/** One row. It is never broken: who made the line knows how wide it may be. */
export const LineView = memo(function LineView({ line }: { line: Line }) {
  const theme = use(ThemeContext);
  if (line.length === 0) return <Text> </Text>;
  return (
    <Text wrap="truncate">
      {line.map(({ text, style }, at) =>
        style ? (
          <Text key={at} {...lookOf(theme, style)}>
            {text}
          </Text>
        ) : (
          text
        ),
      )}
    </Text>
  );
});

/** Rows below each other. */
export function LinesView({ lines }: { lines: readonly Line[] }) {
  return lines.map((line, at) => <LineView key={at} line={line} />);
}
