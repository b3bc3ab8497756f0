import type { CreateToken } from '../../src/contract/tokens.ts';
import { type JsonAnswer, send } from './http.ts';
import type { TestDaemon } from './daemon.ts';

export interface OpenAiDoor {
  post(path: string, body: unknown): Promise<JsonAnswer>;
  get(path: string): Promise<JsonAnswer>;
  /** Asks for a chat completion. */
  chat(model: string, more?: object): Promise<JsonAnswer>;
  /** The data of each event of a streamed chat completion. */
  stream(model: string, more?: object): Promise<string[]>;
}

/** The door at /v1 with a new token that may use models, unless `options` say otherwise. */
export async function openDoor(
  daemon: Pick<TestDaemon, 'client' | 'url'>,
  options: Partial<CreateToken> = {},
): Promise<OpenAiDoor> {
  const { token } = await daemon.client.tokens.create({
    body: { name: 'door', scopes: ['models:use'], ...options },
  });
  const headers = { authorization: `Bearer ${token}` };
  const post = (path: string, body: unknown) => send(daemon, 'POST', `/v1${path}`, body, headers);
  const asked = (model: string, more: object = {}) => ({
    model,
    messages: [{ role: 'user', content: 'Hi' }],
    ...more,
  });
  return {
    post,
    get: (path) => send(daemon, 'GET', `/v1${path}`, undefined, headers),
    chat: (model, more) => post('/chat/completions', asked(model, more)),
    stream: async (model, more) => {
      const { body } = await post('/chat/completions', asked(model, { stream: true, ...more }));
      return [...String(body).matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);
    },
  };
}
