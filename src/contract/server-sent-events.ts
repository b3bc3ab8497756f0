/** One event of a stream: its id if the server sent one, and its data as JSON. */
export interface ServerSentEvent<T = unknown> {
  id?: string;
  data: T;
}

/** Characters of one event; the largest of the daemon holds the output of a task. */
const MAX_EVENT = 64 * 1024 * 1024;

/**
 * Reads an event stream whose data is JSON (HTML standard, section 9.2.6); comments are skipped. Looks at each byte once. Throws a
 * SyntaxError for data that is not JSON and a RangeError for an event of more than 64 Mi characters. `[DONE]`, as streams of OpenAI
 * end, ends it.
 */
export async function* readServerSentEvents<T>(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent<T>> {
  const decoder = new TextDecoder();
  let lines: string[] = [];
  let begun = '';
  let size = 0;
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
    size += text.length;
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = withoutReturn(begun + text.slice(start, end));
      begun = '';
      start = end + 1;
      if (line !== '') {
        lines.push(line);
        continue;
      }
      const event = parseEvent<T>(lines);
      if (event === 'done') return;
      lines = [];
      size = text.length - start;
      if (event) yield event;
    }
    begun += text.slice(start);
    if (size > MAX_EVENT) throw new RangeError('an event is too large');
  }
}

const withoutReturn = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line);

function parseEvent<T>(lines: readonly string[]): ServerSentEvent<T> | 'done' | undefined {
  const data: string[] = [];
  let id: string | undefined;
  for (const line of lines) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'id') id = value;
  }
  if (data.length === 0) return undefined;
  // OpenAI ends a stream with a word in place of JSON.
  if (data.length === 1 && data[0] === '[DONE]') return 'done';
  return { ...(id !== undefined && { id }), data: JSON.parse(data.join('\n')) as T };
}
