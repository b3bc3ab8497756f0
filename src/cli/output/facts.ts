import { escapeLine } from './escape-text.ts';
import type { Paint } from './output.ts';

/** A line of a value, in a colour if it says so. */
export type FactLine = string | { text: string; style: Parameters<Paint>[0] };

/** A name and its value, which may take several lines. */
export type Fact = [name: string, value: string | FactLine[] | undefined];

/** Formats names and values in two columns; facts without a value are left out. */
export function formatFacts(facts: Fact[], paint: Paint, indent = ''): string {
  const known = facts.map(([name, value = []]): [string, FactLine[]] => [
    name,
    [value].flat().filter((line) => line !== ''),
  ]);
  const width = Math.max(...known.map(([name, lines]) => (lines.length > 0 ? name.length : 0)));
  return known
    .flatMap(([name, lines]) =>
      lines.map((line, at) => {
        const title = (at === 0 ? name : '').padEnd(width);
        return `${indent}${paint('dim', title)}  ${formatLine(line, paint)}\n`;
      }),
    )
    .join('');
}

const formatLine = (line: FactLine, paint: Paint): string =>
  typeof line === 'string' ? escapeLine(line) : paint(line.style, escapeLine(line.text));
