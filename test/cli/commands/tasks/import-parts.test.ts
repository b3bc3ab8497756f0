import { expect, it } from 'vitest';
import { importParts } from '../../../../src/cli/commands/tasks/import-parts.ts';

const partsOf = (tasks: unknown[]) => [...importParts(tasks)].map((part) => [part.start, part.tasks.length]);
const textOf = (characters: number) => ({ prompt: 'x'.repeat(characters) });

it('divides an import into parts of a thousand tasks', () => {
  const tasks = Array.from({ length: 2500 }, (_, n) => ({ n }));
  expect(partsOf(tasks)).toEqual([
    [0, 1000],
    [1000, 1000],
    [2000, 500],
  ]);
  expect([...importParts(tasks)].flatMap((part) => part.tasks)).toEqual(tasks);
});

it('has smaller parts for large tasks, and at least one task in each', () => {
  const large = textOf(5_000_000);
  expect(partsOf([large, textOf(10), large, textOf(20_000_000), textOf(10)])).toEqual([
    [0, 2],
    [2, 1],
    [3, 1],
    [4, 1],
  ]);
});

it('sends one request for an export without tasks', () => {
  expect(partsOf([])).toEqual([[0, 0]]);
});
