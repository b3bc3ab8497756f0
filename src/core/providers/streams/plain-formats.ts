import { AnthropicDeltas } from './anthropic-deltas.ts';
import { ChatDeltas, type ChatDialect } from './chat-deltas.ts';
import type { PlainDeltas } from './plain-deltas.ts';

const OPENAI: ChatDialect = { textId: '0', thoughts: [], ignored: ['reasoning_content', 'reasoning'] };
const OF_PACKAGE: Record<string, ChatDialect> = {
  openai: OPENAI,
  azure: OPENAI,
  groq: { textId: 'txt-0', thoughts: ['reasoning'], ignored: [] },
  deepseek: { textId: 'txt-0', thoughts: ['reasoning_content'], ignored: [], startsTextFirst: true },
  // Their pieces of thoughts have forms of their own, which the packages read.
  mistral: { textId: '0', thoughts: [], ignored: [] },
  openrouter: { textId: undefined, thoughts: [], ignored: [] },
  perplexity: { textId: '0', thoughts: [], ignored: [] },
};
const COMPATIBLE: ChatDialect = {
  textId: 'txt-0',
  thoughts: ['reasoning_content', 'reasoning'],
  ignored: [],
};

/** How the plain pieces of an answer from this URL look; undefined for the formats that only the packages read. */
export function plainDeltasOf(url: string, { provider }: { provider: string }): PlainDeltas | undefined {
  const { pathname } = new URL(url);
  const [name = ''] = provider.split('.');
  if (pathname.endsWith('/chat/completions')) return new ChatDeltas(OF_PACKAGE[name] ?? COMPATIBLE);
  return name === 'anthropic' && pathname.endsWith('/messages') ? new AnthropicDeltas() : undefined;
}
