/** One event of a stream: its id if the server sent one, and its data as JSON. */
export interface ServerSentEvent<T = unknown> {
  id?: string;
  data: T;
}

/** Reads an event stream whose data is JSON (HTML standard, section 9.2.6); comments are skipped. Looks at each byte once. */
export async function* readServerSentEvents<T>(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent<T>> {
  const decoder = new TextDecoder();
  let lines: string[] = [];
  let begun = '';
  for await (const chunk of body) {
    const text = decoder.decode(chunk, { stream: true });
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
      lines = [];
      if (event) yield event;
    }
    begun += text.slice(start);
  }
}

const withoutReturn = (line: string) => (line.endsWith('\r') ? line.slice(0, -1) : line);

function parseEvent<T>(lines: readonly string[]): ServerSentEvent<T> | undefined {
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
  // OpenAI ends a stream with a word in place of JSON.
  if (data.length === 0 || data[0] === '[DONE]') return undefined;
  return { ...(id !== undefined && { id }), data: JSON.parse(data.join('\n')) as T };
}
