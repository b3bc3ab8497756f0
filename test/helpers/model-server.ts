import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { TestDaemon } from './daemon.ts';

interface AskedModel {
  path: string;
  headers: IncomingHttpHeaders;
  body: {
    model: string;
    stream?: boolean;
    messages: { role: string; content: unknown; tool_calls?: unknown[] }[];
    tools?: { function: { name: string } }[];
    max_tokens?: number;
  };
}
export interface ScriptedCall {
  name: string;
  /** Text is sent as it is, so that it need not be JSON. */
  args: unknown;
  id?: string;
}
export type Script = (reply: ModelReply, asked: AskedModel) => void | Promise<void>;

export interface ModelServer extends AsyncDisposable {
  /** The base URL of its OpenAI API. */
  url: string;
  asked: AskedModel[];
  /** How many requests their sender broke off. */
  aborted: number;
  /** The models that it lists. */
  models: string[];
  /** What it does from now on. */
  script: Script;
}

/** How the server answers one request, step by step. */
export class ModelReply {
  isCut = false;
  readonly #response: ServerResponse;
  constructor(response: ServerResponse) {
    this.#response = response;
  }

  json(status: number, body: unknown, headers: Record<string, string> = {}): void {
    this.#response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(body));
  }

  whole(content: string): void {
    this.#message({ role: 'assistant', content }, 'stop');
  }

  #message(message: object, finish_reason: string): void {
    this.json(200, {
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message, finish_reason }],
      usage,
    });
  }

  /** Sends exactly this, and begins the stream where it has not begun. */
  raw(text: string | Uint8Array, contentType = 'text/event-stream'): void {
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'content-type': contentType });
    this.#response.write(text);
  }

  event(data: unknown): void {
    this.raw(`data: ${JSON.stringify(data)}\n\n`);
  }

  piece(content: string): void {
    this.event(chunk({ content }));
  }

  thought(reasoning_content: string): void {
    this.event(chunk({ reasoning_content }));
  }

  /** Calls tools, whole or as a stream, as it was asked. */
  calls(isStream: boolean | undefined, calls: readonly ScriptedCall[], text = ''): void {
    const tool_calls = calls.map(({ name, args, id }, index) => ({
      index,
      id: id ?? `call_${name}_${index}`,
      type: 'function',
      function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
    }));
    if (!isStream)
      return this.#message({ role: 'assistant', content: text || null, tool_calls }, 'tool_calls');
    if (text !== '') this.piece(text);
    this.event(chunk({ tool_calls }));
    this.end('tool_calls');
  }

  end(reason = 'stop'): void {
    this.event({ ...chunk({}, reason) });
    this.event({ ...chunk({}), choices: [], usage });
    this.raw('data: [DONE]\n\n');
    this.#response.end();
  }

  /** Ends the body as if it were whole. */
  close(): void {
    this.#response.end();
  }

  /** Breaks off the connection. */
  cut(): void {
    this.isCut = true;
    this.#response.destroy();
  }
}

const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
const chunk = (delta: Record<string, unknown>, finish_reason: string | null = null) => ({
  id: 'c1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta, finish_reason }],
});

/** Answers in whole or piece by piece, as it was asked. */
export const says =
  (...pieces: string[]): Script =>
  (reply, { body }) => {
    if (!body.stream) return reply.whole(pieces.join(''));
    for (const piece of pieces) reply.piece(piece);
    reply.end();
  };

/** In each turn, calls the tools of one list after the other, and answers once every list has been used. */
export const callsTools =
  (lists: readonly (readonly ScriptedCall[])[], answer = 'All done'): Script =>
  (reply, { body }) => {
    const asked = body.messages.findLastIndex(({ role }) => role === 'user');
    const made = body.messages.slice(asked).filter(({ tool_calls }) => tool_calls !== undefined).length;
    const next = lists[made];
    if (next) return reply.calls(body.stream, next);
    return says(answer)(reply, { body, path: '', headers: {} });
  };

/** A server on a free port that speaks OpenAI's chat completions. */
export async function startModelServer(script: Script = says('Hel', 'lo')): Promise<ModelServer> {
  const server = createServer((request, response) => {
    const reply = new ModelReply(response);
    response.on('close', () => {
      if (!response.writableFinished && !reply.isCut) model.aborted++;
    });
    void buffer(request).then(async (bytes) => {
      if (request.method !== 'POST')
        return reply.json(200, { object: 'list', data: model.models.map((id) => ({ id })) });
      const asked = {
        path: request.url ?? '',
        headers: request.headers,
        body: JSON.parse(bytes.toString()) as AskedModel['body'],
      };
      model.asked.push(asked);
      return model.script(reply, asked);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const model: ModelServer = {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`,
    asked: [],
    aborted: 0,
    models: ['test-model'],
    script,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return model;
}

/** Has a daemon use the server as its only provider. */
export const useModel = ({ client }: Pick<TestDaemon, 'client'>, { url }: Pick<ModelServer, 'url'>) =>
  client.providers.configure({
    params: { type: 'ollama' },
    body: { baseUrl: url, defaultModel: 'test-model' },
  });
