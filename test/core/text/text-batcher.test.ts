import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { TextBatcher } from '../../../src/core/text/text-batcher.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function batcher() {
  const sent: string[] = [];
  return { sent, batcher: new TextBatcher((text) => void sent.push(text)) };
}

describe('batches of text', () => {
  it('sends the first piece at once, and what follows together', () => {
    const { sent, batcher: batches } = batcher();
    batches.push('a');
    expect(sent).toEqual(['a']);
    batches.push('b');
    batches.push('c');
    expect(sent).toEqual(['a']);
    vi.advanceTimersByTime(100);
    expect(sent).toEqual(['a', 'bc']);
  });

  it('sends the first piece after a pause at once again', () => {
    const { sent, batcher: batches } = batcher();
    batches.push('a');
    batches.push('b');
    // Right after a batch is no pause.
    vi.advanceTimersByTime(100);
    batches.push('c');
    expect(sent).toEqual(['a', 'b']);
    vi.advanceTimersByTime(200);
    batches.push('d');
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
  });

  it('sends no more batches than intervals, however many pieces there are', () => {
    const { sent, batcher: batches } = batcher();
    for (let at = 0; at < 10_000; at++) {
      batches.push('x');
      if (at % 10 === 9) vi.advanceTimersByTime(1);
    }
    batches.flush();
    expect(sent.join('')).toBe('x'.repeat(10_000));
    expect(sent).toHaveLength(11);
  });

  it('sends a long text without waiting', () => {
    const { sent, batcher: batches } = batcher();
    batches.push('a');
    batches.push('x'.repeat(16_383));
    expect(sent).toHaveLength(1);
    batches.push('y');
    expect(sent).toHaveLength(2);
  });

  it('leaves no timer behind', () => {
    const { sent, batcher: batches } = batcher();
    batches.push('a');
    batches.push('b');
    batches.flush();
    batches.flush();
    expect(sent).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
    batches.push('c');
    vi.advanceTimersByTime(100);
    expect(vi.getTimerCount()).toBe(0);
  });
});
