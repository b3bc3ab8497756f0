import { MockLanguageModelV4 } from 'ai/test';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { Compactor } from '../../../src/core/chat/compactor.ts';
import { CompletionService } from '../../../src/core/chat/completion-service.ts';
import { ConversationFeeds } from '../../../src/core/chat/conversation-feeds.ts';
import { ConversationService } from '../../../src/core/chat/conversation-service.ts';
import { ConversationStore } from '../../../src/core/chat/conversation-store.ts';
import { ModelCalls } from '../../../src/core/providers/model-calls.ts';
import type { ModelPrice } from '../../../src/core/providers/model-prices.ts';
import type { ModelFailure, ResolvedModel } from '../../../src/core/providers/resolved-model.ts';
import { TaskContext } from '../../../src/core/chat/task-context.ts';
import type { Recall } from '../../../src/core/chat/recall/recall.ts';
import { LocalTurns } from '../../../src/core/chat/turns/turns.ts';
import { EventBus } from '../../../src/core/events.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { openStorage, type TestStorage } from '../../helpers/storage.ts';

export const ann: Caller = { userId: 'user_ann', role: 'user' };
export const bob: Caller = { userId: 'user_bob', role: 'user' };
export const root: Caller = { userId: 'user_root', role: 'admin' };

/** A failure that the model's side reports. */
export class VendorError extends Error {
  readonly failure: ModelFailure;
  constructor(failure: Partial<ModelFailure>) {
    super('what the vendor said');
    this.failure = {
      class: 'unknown',
      code: 'unknown',
      message: 'The vendor failed',
      retryAfterMs: undefined,
      ...failure,
    };
  }
}

type DoStream = MockLanguageModelV4['doStream'];
type Part = Awaited<ReturnType<DoStream>>['stream'] extends ReadableStream<infer P> ? P : never;
type Finish = Extract<Part, { type: 'finish' }>;
type Unified = Finish['finishReason']['unified'];

const usageOf = (input?: number, output?: number): Finish['usage'] => ({
  inputTokens: { total: input, noCache: input, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: output, text: output, reasoning: undefined },
});
export const finish = (unified: Unified = 'stop', raw: string | undefined = unified): Finish => ({
  type: 'finish',
  finishReason: { unified, raw },
  usage: usageOf(3, 2),
});
/** The parts of a streamed text. */
export const texts = (...deltas: string[]): Part[] => [
  { type: 'text-start', id: '1' },
  ...deltas.map((delta): Part => ({ type: 'text-delta', id: '1', delta })),
  { type: 'text-end', id: '1' },
];
export const thoughts = (...deltas: string[]): Part[] => [
  { type: 'reasoning-start', id: 'r' },
  ...deltas.map((delta): Part => ({ type: 'reasoning-delta', id: 'r', delta })),
  { type: 'reasoning-end', id: 'r' },
];

/** What the model was asked, as one text per message. */
export interface Asked {
  system: string | undefined;
  messages: string[];
  temperature: number | undefined;
  maxOutputTokens: number | undefined;
  signal: AbortSignal | undefined;
}
export interface Answer {
  text: string;
  finishReason?: Unified;
  usage?: Finish['usage'];
  thought?: string;
}
export interface ChatOptions {
  /** What the model answers to what it is asked. */
  answer?: (asked: Asked, call: number) => Answer | Promise<Answer>;
  /** What its calls cost. */
  price?: ModelPrice;
  /** The parts that it streams. */
  parts?: (asked: Asked) => AsyncIterable<Part> | Iterable<Part>;
  contextWindow?: number;
  longestMs?: number;
  recall?: Recall['forQuestion'];
}

/** Completions and conversations over a database of their own, with a model that does what the test says. */
export async function openChat(options: ChatOptions = {}) {
  return chatOver(await openStorage(), options);
}

/** The same over a storage that is open already. */
export function chatOver(
  storage: TestStorage,
  {
    answer = () => ({ text: 'Hello' }),
    parts,
    contextWindow,
    price,
    longestMs,
    recall = async () => ({ text: undefined, memory: [] }),
  }: ChatOptions = {},
) {
  const { database, store: taskStore } = storage;
  const asked: Asked[] = [];
  const note = ({ prompt, temperature, maxOutputTokens, abortSignal }: Parameters<DoStream>[0]): Asked => {
    const textOf = (content: (typeof prompt)[number]['content']) =>
      typeof content === 'string'
        ? content
        : content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const system = prompt.find(({ role }) => role === 'system');
    const entry = {
      system: system && textOf(system.content),
      messages: prompt
        .filter(({ role }) => role !== 'system')
        .map(({ role, content }) => `${role}: ${textOf(content)}`),
      temperature,
      maxOutputTokens,
      signal: abortSignal,
    };
    asked.push(entry);
    return entry;
  };
  const mock = new MockLanguageModelV4({
    doGenerate: async (options) => {
      const {
        text,
        thought,
        finishReason = 'stop',
        usage = usageOf(3, 2),
      } = await answer(note(options), asked.length);
      return {
        content: [
          ...(thought === undefined ? [] : [{ type: 'reasoning' as const, text: thought }]),
          { type: 'text' as const, text },
        ],
        finishReason: { unified: finishReason, raw: finishReason },
        usage,
        warnings: [],
      };
    },
    doStream: async (options) => ({
      stream: ReadableStream.from(parts?.(note(options)) ?? [...texts('Hello'), finish()]),
    }),
  });
  const model: ResolvedModel = {
    provider: 'ollama',
    modelId: 'test-model',
    model: mock,
    contextWindow,
    price,
    supportsReasoning: false,
  };
  const heard: string[] = [];
  const providers = {
    resolve: async () => model,
    priceOf: () => price,
    toFailure: (_provider: string, error: unknown): ModelFailure =>
      (error instanceof VendorError ? error : new VendorError({})).failure,
    succeeded: () => void heard.push('succeeded'),
    failed: (_provider: string, { code }: ModelFailure) => void heard.push(code),
  };
  let ms = Date.parse('2026-01-01T00:00:00.000Z');
  // No two things happen at the same time.
  const runtime = { ...systemRuntime, now: () => new Date(ms++) };
  const store = new ConversationStore(database);
  const calls = new ModelCalls({ providers, ...(longestMs !== undefined && { longestMs }) });
  const compactor = new Compactor({ database, store, calls, runtime });
  const taskContext = new TaskContext({ database, store: taskStore, runtime });
  const repositoryNames = { of: async () => undefined };
  const shared = { database, store, providers, calls, compactor, taskContext, repositoryNames, runtime };
  const conversations = new ConversationService({
    turns: new LocalTurns(),
    onFollow: () => undefined,
    ...shared,
    chatBudgets: { passUnseen: async () => undefined },
    bus: new EventBus(),
    registry: { isProgram: () => false },
    feeds: new ConversationFeeds('1'),
    pendingApprovals: async () => [],
  });
  const completions = new CompletionService({ ...shared, conversations, recall });
  return { storage, ...shared, model, asked, heard, conversations, completions };
}

/** A signal that nobody aborts. */
export const patient = (): AbortSignal => new AbortController().signal;
