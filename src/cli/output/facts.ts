import { escapeLine } from './escape-text.ts';
import type { Paint } from './output.ts';

/** A name and its value, which may take several lines. */
export type Fact = [name: string, value: string | string[] | undefined];

/** Formats names and values in two columns; facts without a value are left out. */
export function formatFacts(facts: Fact[], paint: Paint, indent = ''): string {
  const known = facts.map(([name, value = []]): [string, string[]] => [name, [value].flat().filter(Boolean)]);
  const width = Math.max(...known.map(([name, lines]) => (lines.length > 0 ? name.length : 0)));
  return known
    .flatMap(([name, lines]) =>
      lines.map((line, at) => {
        const title = (at === 0 ? name : '').padEnd(width);
        return `${indent}${paint('dim', title)}  ${escapeLine(line)}\n`;
      }),
    )
    .join('');
}
