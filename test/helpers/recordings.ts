import { expect } from 'vitest';
import type { ModelProviderType } from '../../src/contract/providers.ts';
import { loadRecordings, type RecordedCase } from './replay-server.ts';

/** By which of our providers a vendor is asked; others speak OpenAI's chat completions below a base URL. */
const typeNames: Record<string, ModelProviderType> = {
  alibaba: 'openai',
  anthropic: 'anthropic',
  azure: 'azure',
  cerebras: 'cerebras',
  cohere: 'cohere',
  deepseek: 'deepseek',
  fireworks: 'fireworks',
  google: 'google',
  groq: 'groq',
  lmstudio: 'openai',
  mistral: 'mistral',
  moonshotai: 'openai',
  ollama: 'ollama',
  openai: 'openai',
  openrouter: 'openrouter',
  perplexity: 'perplexity',
  togetherai: 'together',
  xai: 'xai',
  zai: 'openai',
};
const apis = [
  'openai-chat',
  'openai-responses',
  'anthropic-messages',
  'google-generate',
  'google-stream',
  'cohere-chat-v2',
];

export const isChat = ({ api }: Pick<RecordedCase, 'api'>): boolean => api === 'openai-chat';

export function typeOf({ provider, api }: Pick<RecordedCase, 'provider' | 'api'>): ModelProviderType {
  // Of OpenAI's APIs our providers ask each vendor one; the other one is asked of any base URL.
  if (api === 'openai-responses' && provider !== 'openai' && provider !== 'xai') return 'azure';
  if (api === 'openai-chat' && provider === 'xai') return 'openai';
  return typeNames[provider] ?? 'openai';
}

/** What was recorded of the vendors that we ask, on the APIs that we ask. */
export const recordings: RecordedCase[] = (await loadRecordings()).filter(
  ({ provider, api }) => provider in typeNames && apis.includes(api),
);

export const isFailure = (recording: RecordedCase): boolean =>
  recording.class.startsWith('error') || recording.response.status >= 400;

export const answers: RecordedCase[] = recordings.filter((recording) => !isFailure(recording));

/** One whole answer and one stream of each vendor, as far as there are. */
export const samples: RecordedCase[] = [false, true].flatMap((stream) =>
  [...new Set(answers.map(({ provider }) => provider))].flatMap((provider) => {
    const fitting = answers.filter(
      (each) => each.provider === provider && each.request.stream === stream && each.expect?.text !== '',
    );
    return fitting.find((each) => each.class === 'text') ?? fitting[0] ?? [];
  }),
);

/** A true answer without calls in the same format, to end a loop with; of the same vendor where there is one. */
export function lastAnswerFor({ provider, api, request: { stream } }: RecordedCase): RecordedCase {
  const fitting = answers.filter(
    (each) =>
      each.api === api &&
      each.request.stream === stream &&
      each.class === 'text' &&
      each.expect?.text !== '' &&
      each.expect?.finish !== 'length' &&
      callsIn(each).length === 0,
  );
  const found = fitting.find((each) => each.provider === provider) ?? fitting[0];
  if (!found) throw new Error(`There is no answer in text on ${api}`);
  return found;
}

/** The AI SDK puts the summary of a compaction before the text, and counts the tokens of it. We never ask for one. */
export const hasMore = ({ id }: RecordedCase): boolean => id.includes('vai-anthropic-compaction');

/** Calls that the vendor leaves to the caller, of kinds that its recording does not count among the calls of tools. */
const callsOfOtherKinds: Record<string, string[]> = {
  'openai/responses-json-server-tool.vai-openai-client-tool-search-1': ['tool_search'],
  'openai/responses-stream-server-tool.vai-openai-client-tool-search-1': ['tool_search'],
  'openai/responses-json-server-tool.vai-openai-custom-tool-1': ['write_sql'],
  'openai/responses-stream-server-tool.vai-openai-custom-tool-1': ['write_sql'],
  'openai/responses-json-server-tool.vai-openai-shell-tool-1': ['shell'],
  'openai/responses-stream-text.vai-openai-shell-tool-1': ['shell'],
  'openai/responses-stream-server-tool.vai-openai-apply-patch-tool-delete-1': ['apply_patch'],
  // The streams of fifteen answers one after the other, of which the recording counts the calls of the first.
  'anthropic/messages-stream-tool.vai-anthropic-programmatic-tool-calling-1': Array.from(
    { length: 14 },
    () => 'rollDie',
  ),
};

/** The names of the calls, and their arguments as far as the recording has them. */
export function callsIn({ id, expect: said }: RecordedCase): { name: string; arguments: unknown }[] {
  const others = callsOfOtherKinds[id];
  if (others) return others.map((name) => ({ name, arguments: expect.anything() }));
  return (said?.toolCalls ?? []).map(({ name, arguments: json }) => ({
    name,
    // Some vendors send nothing at all where a tool takes nothing.
    arguments: json === '' ? {} : (JSON.parse(json) ?? {}),
  }));
}

/** What comes from caches and tools is a part of the prompt, and reasoning a part of the answer. */
export function usageIn({ expect: said }: RecordedCase) {
  if (!said?.usage) return {};
  const count = (name: string) => said.usage?.[name] ?? 0;
  const promptTokens = count('input') + count('cacheRead') + count('cacheWrite') + count('toolUse');
  const completionTokens = count('output') + count('thoughts');
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens };
}

/** What we, or the AI SDK, call what the vendor calls so. Some say stop, or completed, for calls of tools too. */
const finishes: Record<string, RegExp> = {
  stop: /^(stop|tool[-_]calls)$/,
  STOP: /^(stop|tool[-_]calls)$/,
  completed: /^(stop|tool[-_]calls)$/,
  end_turn: /^stop$/,
  COMPLETE: /^stop$/,
  STOP_SEQUENCE: /^stop$/,
  eos: /^stop$/,
  tool_calls: /^tool[-_]calls$/,
  tool_use: /^tool[-_]calls$/,
  TOOL_CALL: /^tool[-_]calls$/,
  length: /^length$/,
  MAX_TOKENS: /^length$/,
  refusal: /^content[-_]filter$/,
};
export const finishOf = ({ expect: said }: RecordedCase): RegExp =>
  said?.finish ? (finishes[said.finish] ?? /^$/) : /./;

/** Byte by byte takes long, so it is for the short ones. */
export const piecesOf = ({ response: { bytes } }: RecordedCase): (number | undefined)[] => [
  undefined,
  ...(bytes < 20_000 ? [5] : []),
  ...(bytes < 4000 ? [1] : []),
];

/** True answers that the AI SDK cannot read, and why. A case that is not here has to be read. */
export const unreadable: Record<string, string> = {
  'anthropic/messages-stream-tool.vai-spliced-message-start':
    'a second message begins before the first one ends: a connection that was joined with another',
};
