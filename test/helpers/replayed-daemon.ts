import type { ModelProviderType } from '../../src/contract/providers.ts';
import { type ModelOptions } from '../../src/core/providers/compose-providers.ts';
import { providerTypes } from '../../src/core/providers/provider-list.ts';
import { startDaemon, type TestDaemon, type TestDaemonOptions } from './daemon.ts';
import { type ReplayServer, startReplayServer } from './replay-server.ts';

/** A recording, with the options of the replay server. */
export interface ReplayStep {
  case: string;
  chunk?: number;
  cut?: number;
  stall?: number;
  hang?: number;
  lenient?: true;
}

export interface ReplayedDaemon extends TestDaemon {
  replay: ReplayServer;
  /** The name of a model that answers with these steps, one after the other, and then with a failure. */
  play(...steps: (ReplayStep | string)[]): Promise<string>;
  /** Forgets that a provider failed. */
  closeBreaker(provider: ModelProviderType): Promise<unknown>;
}

/**
 * A whole daemon whose vendors are recordings. It asks for chat completions where `isChat`, as OpenAI's protocol is spoken
 * by other servers and by Azure's dated versions; else OpenAI and Azure are asked for responses.
 */
export async function startReplayedDaemon({
  isChat,
  models,
  flags,
  ...options
}: TestDaemonOptions & { isChat: boolean; models?: ModelOptions }): Promise<ReplayedDaemon> {
  const replay = await startReplayServer();
  const daemon = await startDaemon({
    ...options,
    flags: {
      'outbound.allowPrivate': ['127.0.0.0/8'],
      ...Object.fromEntries(providerTypes.map((type) => [`providers.${type}.apiKey`, 'test-key'])),
      'providers.azure.resourceName': 'example',
      'providers.ollama.baseUrl': 'http://127.0.0.1:11434',
      ...(isChat && { 'providers.azure.apiVersion': '2024-10-21' }),
      ...(isChat && { 'providers.openai.baseUrl': 'https://proxy.example/v1' }),
      ...flags,
    },
    models: {
      ...models,
      fetch: (usual) => (input, init) => {
        const url = new URL(input instanceof Request ? input.url : input);
        const body = typeof init?.body === 'string' ? init.body : '';
        const { 1: script = 'none' } = /replay-(\d+)/.exec(`${url.pathname} ${body}`) ?? [];
        return usual(`${replay.url}/script/${script}${url.pathname}${url.search}`, init);
      },
    },
  });
  return {
    ...daemon,
    replay,
    play: async (...steps) => `replay-${await replay.script(steps)}`,
    closeBreaker: (type) => daemon.client.providers.configure({ params: { type }, body: { enabled: true } }),
    async [Symbol.asyncDispose]() {
      await daemon[Symbol.asyncDispose]();
      await replay[Symbol.asyncDispose]();
    },
  };
}
