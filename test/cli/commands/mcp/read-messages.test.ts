import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readMessages } from '../../../../src/cli/commands/mcp/read-messages.ts';

async function read(pieces: (string | Uint8Array)[]) {
  const found: unknown[] = [];
  for await (const message of readMessages(Readable.from(pieces))) found.push(message);
  return found;
}

describe('the messages on stdin', () => {
  it('are one on each line, however the bytes come', async () => {
    const messages = [
      { id: 1, method: 'ping' },
      { method: 'grüße 🦦' },
      { id: 'x', params: { text: 'a\nb' } },
    ];
    const bytes = Buffer.from(messages.map((message) => `${JSON.stringify(message)}\n`).join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 8 }), async (cuts) => {
        const at = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
        const pieces = at.slice(1).map((end, index) => bytes.subarray(at[index], end));
        expect(await read(pieces)).toEqual(messages);
      }),
      { numRuns: 50 },
    );
  });

  it('are undefined where a line is none, and blank lines are nothing', async () => {
    expect(
      await read(['nonsense\n', '\n', ' \r\n', '[{"id":1}]\n', 'null\n', '"x"\n', '{"id":1}\n']),
    ).toEqual([undefined, undefined, undefined, undefined, { id: 1 }]);
  });

  it('leave out a last line that has no end', async () => {
    expect(await read(['{"id":1}\n{"id":2}'])).toEqual([{ id: 1 }]);
  });

  it('of a line that is too long are one undefined, and what follows is read', async () => {
    const piece = 'x'.repeat(1024 * 1024);
    expect(await read([...Array<string>(6).fill(piece), '\n{"id":1}\n'])).toEqual([undefined, { id: 1 }]);
  });
});
