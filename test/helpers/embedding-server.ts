import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';

interface Asked {
  path: string;
  headers: IncomingHttpHeaders;
  body: Record<string, unknown>;
  texts: string[];
}

/** Answers itself, or leaves it to the server. */
type EmbeddingScript = (reply: EmbeddingReply, asked: Asked) => void;

export interface EmbeddingServer extends AsyncDisposable {
  /** Without a path. */
  url: string;
  asked: Asked[];
  /** Every text that was embedded, as often as it was. */
  readonly embedded: string[];
  /** What it does from now on. */
  script: EmbeddingScript;
  /** The vector of a text. */
  vectorOf: (text: string) => number[];
}

class EmbeddingReply {
  readonly #response: ServerResponse;
  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get isSent(): boolean {
    return this.#response.writableEnded || this.#response.destroyed || this.isKeptWaiting;
  }
  isKeptWaiting = false;

  /** Never answers. */
  wait(): void {
    this.isKeptWaiting = true;
  }

  /** Sends an object as JSON, and a text as it is. */
  send(status: number, body: unknown, headers: Record<string, string> = {}): void {
    this.#response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  cut(): void {
    this.#response.destroy();
  }
}

/** The embeddings of OpenAI, Google, Cohere, and of those who speak as OpenAI does, on a free port. */
export async function startEmbeddingServer(
  vectorOf: EmbeddingServer['vectorOf'] = lettersOf,
): Promise<EmbeddingServer> {
  const server = createServer((request, response) => {
    void buffer(request).then((bytes) => {
      const reply = new EmbeddingReply(response);
      if (request.method !== 'POST') return reply.send(200, { object: 'list', data: [] });
      const path = request.url ?? '';
      const body = JSON.parse(bytes.toString()) as Asked['body'];
      const asked = { path, headers: request.headers, body, texts: textsIn(body) };
      self.asked.push(asked);
      self.script(reply, asked);
      if (reply.isSent) return;
      self.embedded.push(...asked.texts);
      reply.send(200, answerTo(asked, asked.texts.map(self.vectorOf)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const self: EmbeddingServer = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`,
    asked: [],
    embedded: [],
    script: () => undefined,
    vectorOf,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return self;
}

type GoogleText = { content: { parts: { text: string }[] } };

function textsIn(body: Asked['body']): string[] {
  const { input, texts, requests, content } = body;
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) || Array.isArray(texts)) return (input ?? texts) as string[];
  const contents = Array.isArray(requests) ? (requests as GoogleText[]) : [{ content } as GoogleText];
  return contents.map(({ content: { parts } }) => parts.map(({ text }) => text).join(''));
}

function answerTo({ path, body, texts }: Asked, vectors: number[][]): unknown {
  if (path.endsWith(':embedContent')) return { embedding: { values: vectors[0] } };
  if (path.endsWith(':batchEmbedContents')) return { embeddings: vectors.map((values) => ({ values })) };
  if (path.endsWith('/embed'))
    return {
      id: 'e1',
      texts,
      embeddings: { float: vectors },
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: texts.length } },
      response_type: 'embeddings_by_type',
    };
  const encode = body['encoding_format'] === 'base64' ? toBase64 : (vector: number[]) => vector;
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encode(vector) })),
    model: body['model'],
    usage: { prompt_tokens: texts.length, total_tokens: texts.length },
  };
}

export const toBase64 = (vector: number[]): string =>
  Buffer.from(Float32Array.from(vector).buffer).toString('base64');

/** How often each letter is in it: texts of the same letters are alike. */
function lettersOf(text: string): number[] {
  const counts = Array.from({ length: 27 }, () => 0);
  for (const letter of text.toLowerCase()) {
    const at = letter >= 'a' && letter <= 'z' ? letter.charCodeAt(0) - 96 : 0;
    counts[at] = (counts[at] ?? 0) + 1;
  }
  return counts;
}
