import { expect, it } from 'vitest';
import { cutArguments } from '../../../src/core/webhooks/cut-arguments.ts';

it('leaves arguments that fit as they are', () => {
  const args = { command: 'npm test', deep: { list: [1, null, 'a'], isOn: true } };
  expect(cutArguments(args)).toEqual({ arguments: args });
});

it('cuts a long text between characters, and says so', () => {
  const { arguments: kept, truncated } = cutArguments({ content: `${'x'.repeat(1999)}😀${'y'.repeat(100)}` });
  expect(kept).toEqual({ content: `${'x'.repeat(1999)}[… 102 more characters …]` });
  expect(truncated).toBe(true);
});

it('bounds arguments of any form', () => {
  const many = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`key${n}`, 'x'.repeat(50)]));
  for (const args of [
    many,
    { list: Object.values(many) },
    { deep: { deeper: many } },
    { ['k'.repeat(99_999)]: 1 },
  ]) {
    const cut = cutArguments(args);
    expect(cut.truncated).toBe(true);
    expect(JSON.stringify(cut).length).toBeLessThan(20_000);
  }
});
