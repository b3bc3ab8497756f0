import { once } from 'node:events';
import { connect } from 'node:net';

export interface RawAnswer {
  status: number;
  /** Names in lower case; of a repeated header the last one. */
  headers: Record<string, string>;
  body: string;
}

/** Sends bytes as they are to the daemon at `url`, and reads until it closes the connection. */
export async function sendRaw(url: string, bytes: string | Buffer): Promise<RawAnswer> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  // A server that refuses early may reset the connection while the rest is still being sent.
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  return parseAnswer(Buffer.concat(chunks).toString('utf8'));
}

/** The lines of a request, with the end of its head; the connection closes after the answer. */
export function rawRequest(lines: string[], body = ''): string {
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return [...lines, 'Connection: close', ...length, '', body].join('\r\n');
}

function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n');
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  return { status: Number(/^HTTP\/1\.\d (\d{3})/.exec(first)?.[1] ?? 0), headers, body: text.slice(end + 4) };
}
