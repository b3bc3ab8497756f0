import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Output } from '../../../src/cli/output/output.ts';
import { describeWait, type WaitClock, whileWaiting } from '../../../src/cli/output/while-waiting.ts';

/** A clock that stands still until it is moved. */
class TestClock implements WaitClock {
  #time = 0;
  readonly #due = new Map<() => void, number>();
  now = () => this.#time;
  later: WaitClock['later'] = (callback, ms) => {
    // A callback of its own for each call: the same function may wait twice.
    const entry = () => callback();
    this.#due.set(entry, this.#time + ms);
    return () => void this.#due.delete(entry);
  };
  /** Moves on, callback by callback; what they start may be asynchronous. */
  async move(ms: number): Promise<void> {
    const end = this.#time + ms;
    for (;;) {
      const next = [...this.#due].filter(([, at]) => at <= end).toSorted(([, a], [, b]) => a - b)[0];
      if (!next) break;
      this.#due.delete(next[0]);
      this.#time = next[1];
      next[0]();
    }
    this.#time = end;
    await import('ora');
    await setImmediate();
  }
}

function createOutput({ isTerminal = false } = {}) {
  let text = '';
  const stream = new PassThrough().on('data', (chunk: Buffer) => (text += chunk.toString()));
  const methods = ['clearLine', 'cursorTo', 'moveCursor'].map((name) => [name, () => true]);
  const stderr = Object.assign(
    stream,
    isTerminal && { isTTY: true, columns: 80, ...Object.fromEntries(methods) },
  );
  const silent = new PassThrough().on('data', () => {
    throw new Error('stdout is for data');
  });
  const output = new Output({ stdout: silent as unknown as NodeJS.WriteStream, stderr }, {});
  return { output, written: () => stripVTControlCharacters(text) };
}

const wait = { isShown: true, text: 'checking' };
const lines = (text: string) => text.split('\n').slice(0, -1);

describe('the line about a wait', () => {
  it('has its time, and share and estimate where the total is known', () => {
    expect(describeWait({ text: 'checking' }, 300)).toBe('checking');
    expect(describeWait({ text: 'checking' }, 12_700)).toBe('checking: 12 s');
    expect(describeWait({ text: 'unpacking', done: 10, total: 40 }, 1000)).toBe('unpacking: 25 %');
    expect(describeWait({ text: 'unpacking', done: 10, total: 40 }, 5000)).toBe(
      'unpacking: 25 %, 5.0 s, about 15 s left',
    );
    expect(describeWait({ text: 'unpacking', done: 0, total: 40 }, 5000)).toBe('unpacking: 5.0 s');
    expect(describeWait({ text: 'unpacking', done: 50, total: 40 }, 5000)).toContain('100 %');
  });

  it('estimates from what was seen, and counts down between reports', () => {
    const step = { text: 'upgrading', done: 6, total: 8 };
    // Two parts in 10 s since the client joined.
    const seen = { doneBefore: 4, reportedMs: 10_000 };
    expect(describeWait(step, 10_000, seen)).toBe('upgrading: 75 %, 10 s, about 10 s left');
    expect(describeWait(step, 14_000, seen)).toBe('upgrading: 75 %, 14 s, about 6.0 s left');
    expect(describeWait(step, 25_000, seen)).toBe('upgrading: 75 %, 25 s');
    expect(describeWait(step, 5000, { doneBefore: 6, reportedMs: 0 })).toBe('upgrading: 75 %, 5.0 s');
  });
});

describe('a wait', () => {
  it('passes on the result and the error of the work, and prints nothing about a short one', async () => {
    const { output, written } = createOutput();
    expect(await whileWaiting(output, wait, async () => 'done')).toBe('done');
    const failing = whileWaiting(output, wait, () => Promise.reject(new Error('broken')));
    await expect(failing).rejects.toThrow('broken');
    expect(written()).toBe('');
  });

  it('has a line after 5 s and then every 30 s where there is no terminal', async () => {
    const { output, written } = createOutput();
    const clock = new TestClock();
    await whileWaiting(
      output,
      wait,
      async () => {
        await clock.move(4999);
        expect(written()).toBe('');
        await clock.move(1);
        expect(lines(written())).toEqual(['checking: 5.0 s']);
        await clock.move(60_000);
      },
      clock,
    );
    await clock.move(60_000);
    expect(lines(written())).toEqual(['checking: 5.0 s', 'checking: 35 s', 'checking: 1 min 5 s']);
  });

  it('has a spinner on a terminal after half a second', async () => {
    const { output, written } = createOutput({ isTerminal: true });
    const clock = new TestClock();
    await whileWaiting(
      output,
      wait,
      async (show) => {
        await clock.move(499);
        expect(written()).toBe('');
        await clock.move(1);
        expect(written()).toContain('checking');
        show({ text: 'unpacking', done: 1, total: 4 });
        await clock.move(200);
        expect(output.activity).toBeDefined();
      },
      clock,
    );
    expect(output.activity).toBeUndefined();
  });

  it('leaves the line to a wait within it', async () => {
    const { output, written } = createOutput();
    const clock = new TestClock();
    await whileWaiting(
      output,
      { isShown: true, text: 'copying' },
      async () => {
        await whileWaiting(output, { isShown: true, text: 'starting' }, () => clock.move(6000), clock);
        await clock.move(30_000);
      },
      clock,
    );
    expect(lines(written())).toEqual(['starting: 5.0 s', 'copying: 35 s']);
  });

  it('shows nothing where it is not wanted', async () => {
    const { output, written } = createOutput();
    const clock = new TestClock();
    await whileWaiting(output, { isShown: false, text: 'checking' }, () => clock.move(60_000), clock);
    expect(written()).toBe('');
  });
});
