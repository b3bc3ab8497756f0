import type { JsonRpcMessage } from '../../../contract/mcp.ts';

/** More than the daemon takes, so that it is the one that refuses what is only a little too long. */
const MAX_LINE = 4 * 1024 * 1024;

/** The messages on a stream, one on each line; undefined for a line that is none. Ends with the stream. */
export async function* readMessages(
  stream: AsyncIterable<Uint8Array | string>,
): AsyncGenerator<JsonRpcMessage | undefined> {
  const decoder = new TextDecoder();
  let begun = '';
  let isTooLong = false;
  for await (const chunk of stream) {
    const [first = '', ...rest] = (
      typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true })
    ).split('\n');
    begun += isTooLong ? '' : first;
    for (const next of rest) {
      if (isTooLong) yield undefined;
      else if (begun.trim() !== '') yield parse(begun);
      isTooLong = false;
      begun = next;
    }
    if (begun.length > MAX_LINE) {
      isTooLong = true;
      begun = '';
    }
  }
}

function parse(line: string): JsonRpcMessage | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isMessage = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isMessage ? (value as JsonRpcMessage) : undefined;
  } catch {
    return undefined;
  }
}
