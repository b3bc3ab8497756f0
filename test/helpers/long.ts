import { isPro } from './pro.ts';

/** Whether the long forms run: `npm run test:long` sets it, and takes the slow tests and those that import this file. */
export const isLong: boolean = process.env['SVC_TEST_LONG'] === '1';

/**
 * Every nth of them in `npm test`, all in `npm run test:long`. Another `shift` takes others, so that what is tried with a
 * sample in many places is tried whole in some.
 */
export const everyNth = <Item>(n: number, items: readonly Item[], shift = 0): Item[] =>
  items.filter((_, index) => isLong || (index + shift) % n === 0);

/** How many, or how much, of something a test takes: enough to exercise it in `npm test`, all in `npm run test:long`. */
export const sized = <Size>(short: Size, long: Size): Size => (isLong ? long : short);

/**
 * How long a test waits for what has to come, which only ends a broken one: the long forms keep a machine busy, and so does
 * a database server.
 */
export const patienceMs: number = isPro ? 60_000 : sized(20_000, 60_000);
