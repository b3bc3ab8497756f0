import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readServerSentEvents, type ServerSentEvent } from '../../src/contract/server-sent-events.ts';
import { sized } from '../helpers/long.ts';

async function* inPieces(bytes: Uint8Array, sizes: number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let piece = 0; at < bytes.length; piece++) {
    const size = Math.max(1, sizes[piece % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}
async function read(text: string, sizes = [text.length]): Promise<ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readServerSentEvents(inPieces(new TextEncoder().encode(text), sizes)))
    events.push(event);
  return events;
}

describe('a stream of events', () => {
  const event = fc.record(
    { id: fc.stringMatching(/^[\w-]{0,10}$/), data: fc.jsonValue({ stringUnit: 'grapheme' }) },
    { requiredKeys: ['data'] },
  );
  const comment = fc.stringMatching(/^[\w: ]{0,20}$/);

  it('a stream of events parses the same with any chunking, line ends, comments and unknown fields', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(event, fc.array(comment, { maxLength: 2 }), fc.boolean()), { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n'),
        fc.oneof(
          fc.constant<number[]>([1]),
          fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 5 }),
        ),
        async (list, end, sizes) => {
          const text = list
            .map(([{ id, data }, comments, inLines]) => {
              const json = JSON.stringify(data, undefined, inLines ? 2 : undefined).split('\n');
              return [
                ...comments.map((words) => `:${words}`),
                'event: message',
                'retry',
                ...(id === undefined ? [] : [`id: ${id}`]),
                ...json.map((line) => (inLines ? `data:${line}` : `data: ${line}`)),
                '',
                '',
              ].join(end);
            })
            .join('');
          const expected = list.map(([each]) => JSON.parse(JSON.stringify(each)) as ServerSentEvent);
          expect(await read(text, sizes)).toEqual(expected);
        },
      ),
      { numRuns: sized(60, 300) },
    );
  });

  it('yields an event as soon as it is complete', async () => {
    const seen: unknown[] = [];
    async function* pieces() {
      const encode = (text: string) => new TextEncoder().encode(text);
      yield encode('data: 1\n');
      expect(seen).toEqual([]);
      yield encode('\ndata: 2');
      expect(seen).toEqual([1]);
      yield encode('\n\n');
      expect(seen).toEqual([1, 2]);
    }
    for await (const { data } of readServerSentEvents(pieces())) seen.push(data);
  });

  it.each<[string, string, unknown[]]>([
    ['a heartbeat', ': heartbeat\n\n: heartbeat\n\ndata: 1\n\n', [{ data: 1 }]],
    ['blank lines', '\n\n\n\ndata: 1\n\n\n\n', [{ data: 1 }]],
    ['an event without data', 'id: 7\n\ndata: 1\n\n', [{ data: 1 }]],
    ['an event that is not complete', 'data: 1\n\ndata: 2\n', [{ data: 1 }]],
    ['no space after the colon', 'id:7\ndata:1\n\n', [{ id: '7', data: 1 }]],
    ['an empty id', 'id\ndata: 1\n\n', [{ id: '', data: 1 }]],
    ['several lines of data', 'data: [1,\ndata: 2]\n\n', [{ data: [1, 2] }]],
    ['a byte order mark', '\ufeffdata: 1\n\n', [{ data: 1 }]],
    ['nothing', '', []],
  ])('parses events with %s', async (_, text, expected) => {
    expect(await read(text)).toEqual(expected);
    expect(await read(text, [1])).toEqual(expected);
  });

  it('reads an event of 2 MB in small pieces in one pass', async () => {
    const json = JSON.stringify('x'.repeat(2_000_000));
    // Searching from the start for each piece would take minutes.
    expect(await read(`data: ${json}\n\n`, [16])).toEqual([{ data: 'x'.repeat(2_000_000) }]);
  });

  it('a stream fails at an event whose data is not JSON', async () => {
    await expect(read('data: 1\n\ndata: {"a":\n\n')).rejects.toThrow(SyntaxError);
  });
});
