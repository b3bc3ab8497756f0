import { expect, it } from 'vitest';
import { idShortener, shortId } from '../../../src/cli/output/shorten-ids.ts';

const rows = ['task_01a1fc43-0e60-790c-9e24-9dbd16fb7a66', 'task_01a1fc43-0e60-790c-9e24-9dbd26fb7a67'].map(
  (id) => ({ id }),
);

it('shows the end of an ID on a terminal', () => {
  const short = idShortener({ isTerminal: true }, rows);
  expect(rows.map(({ id }) => short(id))).toEqual(['16fb7a66', '26fb7a67']);
  expect(shortId(rows[0]?.id ?? '')).toBe('16fb7a66');
});

it('shows as much as the rows need to differ', () => {
  const alike = [{ id: 'task_1-00000000' }, { id: 'task_2-00000000' }];
  const short = idShortener({ isTerminal: true }, alike);
  expect(alike.map(({ id }) => short(id))).toEqual(['1-00000000', '2-00000000']);
});

it('shows whole IDs elsewhere, and of rows that are the same', () => {
  const [row] = rows;
  expect(idShortener({ isTerminal: false }, rows)(row?.id ?? '')).toBe(row?.id);
  expect(idShortener({ isTerminal: true }, [{ id: 'x' }, { id: 'x' }])('x')).toBe('x');
});
