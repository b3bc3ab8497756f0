/** One event of a stream: its id if the server sent one, and its data as JSON. */
export interface ServerSentEvent<T = unknown> {
  id?: string;
  data: T;
}

/** Reads an event stream whose data is JSON (HTML standard, section 9.2.6); comments are skipped. */
export async function* readServerSentEvents<T>(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent<T>> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    for (;;) {
      const end = /\r?\n\r?\n/.exec(text);
      if (!end) break;
      const event = parseEvent<T>(text.slice(0, end.index));
      text = text.slice(end.index + end[0].length);
      if (event) yield event;
    }
  }
}

function parseEvent<T>(block: string): ServerSentEvent<T> | undefined {
  const data: string[] = [];
  let id: string | undefined;
  for (const line of block.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    if (field === 'id') id = value;
  }
  if (data.length === 0) return undefined;
  return { ...(id !== undefined && { id }), data: JSON.parse(data.join('\n')) as T };
}
