import { expect, it } from 'vitest';
import { resultLimit, trimArguments, trimText } from '../../../../src/core/chat/history/trim-call.ts';

it('keeps the beginning and the end of a long text, with a mark between them', () => {
  const text = `begin ${'x'.repeat(20_000)} end`;
  const trimmed = trimText(text, 8000);
  expect(trimmed).toMatch(/^begin x+\n\[… 12010 of 20010 characters left out; [^\]]+\]\nx+ end$/);
  expect(trimmed.length).toBeLessThan(8200);
  expect(trimText('short', 8000)).toBe('short');
});

it.each([
  [1, 8000],
  [7, 8000],
  [60, 1000],
  [200, 400],
])('an answer with %i calls keeps %i characters of each result', (calls, limit) => {
  expect(resultLimit(calls)).toBe(limit);
});

it('shortens texts in arguments, and makes an object of what is none', () => {
  const trimmed = trimArguments(
    { path: 'a.ts', content: 'y'.repeat(9000), lines: [1, { deep: true }] },
    8000,
  );
  expect(trimmed).toMatchObject({ path: 'a.ts', lines: [1, { deep: true }] });
  expect(JSON.stringify(trimmed).length).toBeLessThan(2300);
  expect(trimArguments('{"path":', 8000)).toEqual({ input: '{"path":' });
  expect(trimArguments(null, 8000)).toEqual({ input: null });
  expect(
    trimArguments(Object.fromEntries(Array.from({ length: 999 }, (_, at) => [`key${at}`, at])), 8000),
  ).toEqual({
    omitted: expect.stringMatching(/^\d+ characters of arguments$/),
  });
});
