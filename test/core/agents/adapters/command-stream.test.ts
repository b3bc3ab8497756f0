import { describe, expect, it } from 'vitest';
import type { OutputPiece } from '../../../../src/contract/task-output.ts';
import type { RunningEvent } from '../../../../src/core/agents/agent-adapter.ts';
import { CommandStream } from '../../../../src/core/agents/adapters/command-stream.ts';

const HALF_MIB = 512 * 1024;

/** What a command with this output publishes. */
function published(bytes: Buffer, pieceBytes: number) {
  const events: RunningEvent[] = [];
  const pieces: OutputPiece[] = [];
  const stream = new CommandStream(
    { emit: (event) => void events.push(event), publishOutput: (piece) => void pieces.push(piece) },
    'stdout',
  );
  for (let at = 0; at < bytes.length; at += pieceBytes) stream.push(bytes.subarray(at, at + pieceBytes));
  return { result: stream.finish(), events, pieces };
}
const cutsOf = (events: RunningEvent[]) => events.filter(({ data }) => data?.['truncated'] === true);

describe('the output stream of a command', () => {
  it('is events with their places while it is short', () => {
    const { events, pieces, result } = published(Buffer.from('ä€😀'.repeat(100)), 5);
    expect(pieces).toEqual([]);
    expect(result).toBe('ä€😀'.repeat(100));
    let at = 0;
    for (const { message, data } of events) {
      expect(data).toEqual({ stream: 'stdout', offset: at, bytes: Buffer.byteLength(message) });
      at += Buffer.byteLength(message);
    }
    expect(at).toBe(900);
  });

  it('continues live where its events stop, without a byte lost or sent twice', () => {
    const text = Array.from({ length: 60_000 }, (_, line) => `${line} ä€😀\n`).join('');
    const bytes = Buffer.from(text);
    const { events, pieces } = published(bytes, 4093);
    const [cut, ...more] = cutsOf(events);
    expect(more).toEqual([]);
    expect(events.at(-1)).toBe(cut);
    const stored = events.slice(0, -1);
    expect(stored.map(({ message }) => message).join('') + pieces.map((each) => each.text).join('')).toBe(
      text,
    );
    let at = 0;
    for (const { offset, bytes: length } of [
      ...stored.map(({ data }) => data as { offset: number; bytes: number }),
      ...pieces,
    ]) {
      expect(offset).toBe(at);
      at += length;
    }
    expect(at).toBe(bytes.length);
    expect(cut?.data?.['offset']).toBe(pieces[0]?.offset);
    expect(pieces[0]?.offset).toBeGreaterThanOrEqual(HALF_MIB);
    expect(pieces[0]?.offset).toBeLessThan(HALF_MIB + 32 * 1024);
  });

  it('says that its events stop as soon as they do', () => {
    const events: RunningEvent[] = [];
    const stream = new CommandStream(
      { emit: (event) => void events.push(event), publishOutput: () => undefined },
      'stderr',
    );
    for (let at = 0; at < 40; at++) stream.push(Buffer.alloc(16_384, 'x'));
    expect(cutsOf(events)).toHaveLength(1);
    expect(cutsOf(events)[0]?.data).toEqual({ stream: 'stderr', truncated: true, offset: HALF_MIB });
    stream.finish();
    expect(cutsOf(events)).toHaveLength(1);
  });

  it('has no note about more where there is no more', () => {
    expect(cutsOf(published(Buffer.alloc(HALF_MIB, 'x'), 16_384).events)).toEqual([]);
  });

  it('counts the bytes of what is no UTF-8', () => {
    const { events } = published(Buffer.from([0x61, 0xff, 0xfe, 0xe2, 0x82]), 2);
    expect(events.map(({ message }) => message).join('')).toBe('a���');
    expect(events.reduce((sum, { data }) => sum + Number(data?.['bytes']), 0)).toBe(5);
  });
});
