import { generateText, type ModelMessage, streamText } from 'ai';
import type { TokenUsage } from '../../../src/contract/chat.ts';
import { ModelCalls } from '../../../src/core/providers/model-calls.ts';
import { toPrompt } from '../../../src/core/providers/prompt.ts';
import { toTokenUsage } from '../../../src/core/providers/token-usage.ts';
import { isChat, typeOf } from '../../helpers/recordings.ts';
import type { RecordedCase, ReplayServer } from '../../helpers/replay-server.ts';
import { createProviders } from './provider-parts.ts';

/** Providers that are set up as for the recording, and whose every request gets it for an answer. */
export function createReplayed(
  { url }: ReplayServer,
  recording: RecordedCase,
  options = '',
  stallMs?: number,
) {
  const type = typeOf(recording);
  const [provider = '', id = ''] = recording.id.split('/');
  const base = `${url}/case/${provider}/${encodeURIComponent(`${id}${options}`)}`;
  return createProviders({
    flags: {
      'outbound.allowPrivate': ['127.0.0.0/8'],
      [`providers.${type}.apiKey`]: 'test-key',
      ...(type === 'azure' && { 'providers.azure.resourceName': 'example' }),
      ...(type === 'azure' && isChat(recording) && { 'providers.azure.apiVersion': '2024-10-21' }),
      ...(type === 'ollama' && { 'providers.ollama.baseUrl': 'http://127.0.0.1:11434' }),
      // Another server that speaks OpenAI's protocol is asked for chat completions.
      ...(type === 'openai' &&
        isChat(recording) && { 'providers.openai.baseUrl': 'https://proxy.example/v1' }),
    },
    redirect: ({ pathname, search }) => `${base}${pathname}${search}`,
    ...(stallMs !== undefined && { stallMs }),
  });
}
export type Replayed = Awaited<ReturnType<typeof createReplayed>>;

export interface Answer {
  text: string;
  finishReason: string;
  usage: TokenUsage;
}

/** Asks in the way in which the recording was asked for: whole or streamed. */
export async function ask({ providers }: Replayed, recording: RecordedCase): Promise<Answer> {
  globalThis.AI_SDK_LOG_WARNINGS = false;
  const { model } = await providers.resolve({ provider: typeOf(recording), model: 'some-model' }, undefined);
  const messages: ModelMessage[] = [{ role: 'user', content: 'hi' }];
  const options = { model, messages, maxRetries: 0 };
  if (!recording.request.stream) {
    const { text, finishReason, totalUsage } = await generateText(options);
    return { text, finishReason, usage: toTokenUsage(totalUsage) };
  }
  let text = '';
  for await (const part of streamText({ ...options, onError: () => undefined }).stream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') text += part.text;
    if (part.type === 'finish')
      return { text, finishReason: part.finishReason, usage: toTokenUsage(part.totalUsage) };
  }
  throw new Error('The stream had no end');
}

/** As `ask`, through the calls that completions are made of. */
export async function call({ providers }: Replayed, recording: RecordedCase): Promise<Answer> {
  const resolved = await providers.resolve({ provider: typeOf(recording), model: 'some-model' }, undefined);
  const calls = new ModelCalls({ providers });
  const prompt = toPrompt([], [{ role: 'user', content: 'hi' }]);
  const options = { signal: new AbortController().signal };
  if (!recording.request.stream) {
    const { content, ...end } = await calls.ask(resolved, prompt, options);
    return { text: content, ...end };
  }
  let text = '';
  for await (const chunk of await calls.stream(resolved, prompt, options)) {
    if ('error' in chunk) throw new Error(chunk.error);
    if ('done' in chunk) return { text, ...chunk };
    text += chunk.content;
  }
  throw new Error('The stream had no end');
}

/** How the call fails, in our words. */
export async function askAndFail(replayed: Replayed, recording: RecordedCase) {
  const error: unknown = await ask(replayed, recording).then(
    (answer) => Promise.reject(new Error(`It answered ${JSON.stringify(answer)}`)),
    (thrown: unknown) => thrown,
  );
  return replayed.providers.toFailure(typeOf(recording), error);
}
