import { expect, describe, it } from 'vitest';
import type { CompletionChunk } from '../../../src/contract/chat.ts';
import {
  type ChatOptions,
  finish,
  openChat,
  patient,
  texts,
  thoughts,
  VendorError,
} from '../chat/chat-parts.ts';

const prompt = { instructions: '', turns: [{ role: 'user' as const, content: 'Hi' }] };
const usage = { promptTokens: 3, completionTokens: 2, totalTokens: 5 };

async function read(options: ChatOptions) {
  const chat = await openChat(options);
  const chunks: CompletionChunk[] = [];
  const stream = await chat.calls.stream(chat.model, prompt, { signal: patient() });
  for await (const chunk of stream) chunks.push(chunk);
  return { chunks, heard: chat.heard };
}
async function ask(options: ChatOptions) {
  const chat = await openChat(options);
  return { answer: await chat.calls.ask(chat.model, prompt, { signal: patient() }), heard: chat.heard };
}

describe('a whole answer', () => {
  it('a whole answer is the text without the reasoning', async () => {
    const { answer, heard } = await ask({ answer: () => ({ text: 'Hello', thought: 'Hmm' }) });
    expect(answer).toEqual({ content: 'Hello', cached: {}, finishReason: 'stop', usage });
    expect(heard).toEqual(['succeeded']);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content-filter', 'content_filter'],
    ['tool-calls', 'tool_calls'],
    ['error', 'error'],
    ['other', 'other'],
  ] as const)('maps the finish reason %s to %s', async (finishReason, said) => {
    expect((await ask({ answer: () => ({ text: '', finishReason }) })).answer.finishReason).toBe(said);
  });

  it.each([
    [undefined, undefined, {}],
    [7, undefined, { promptTokens: 7 }],
    [0, 0, { promptTokens: 0, completionTokens: 0, totalTokens: 0 }],
    [1.5, -1, {}],
  ])('reports the known part of the usage %s and %s', async (input, output, known) => {
    const tokens = {
      inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: undefined, reasoning: undefined },
    };
    const { answer } = await ask({ answer: () => ({ text: 'a', usage: tokens }) });
    expect(answer.usage).toEqual(known);
  });

  it('throws the failure of a whole answer', async () => {
    const answer = () => {
      throw new VendorError({ class: 'rate_limited', code: 'rate_limited', retryAfterMs: 7000 });
    };
    const chat = await openChat({ answer });
    await expect(chat.calls.ask(chat.model, prompt, { signal: patient() })).rejects.toMatchObject({
      name: 'AppError',
      code: 'rate_limited',
      retryAfterMs: 7000,
    });
    expect(chat.asked).toHaveLength(1);
    expect(chat.heard).toEqual(['rate_limited']);
  });

  it('limits the duration of a whole answer', async () => {
    const never = Promise.withResolvers<never>();
    const chat = await openChat({
      answer: ({ signal }) => untilAborted(signal, never.promise),
      longestMs: 20,
    });
    await expect(chat.calls.ask(chat.model, prompt, { signal: patient() })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('did not finish its answer within 0.02 s'),
    });
    expect(chat.heard).toEqual(['timeout']);
  });

  it('aborts a cancelled model call without blaming the provider', async () => {
    const gone = new AbortController();
    const asked = Promise.withResolvers<void>();
    const chat = await openChat({
      answer: ({ signal }) => {
        asked.resolve();
        return untilAborted(signal, new Promise<never>(() => undefined));
      },
    });
    const answer = chat.calls.ask(chat.model, prompt, { signal: gone.signal });
    await asked.promise;
    gone.abort();
    await expect(answer).rejects.toMatchObject({ code: 'wrong_state' });
    expect(chat.asked[0]?.signal?.aborted).toBe(true);
    expect(chat.heard).toEqual([]);
  });
});

describe('a streamed answer', () => {
  it('streams the text without reasoning and empty chunks', async () => {
    const { chunks, heard } = await read({
      parts: () => [...thoughts('Hmm'), ...texts('Hel', '', 'lo'), finish()],
    });
    expect(chunks).toEqual([
      { content: 'Hel' },
      { content: 'lo' },
      { done: true, usage, finishReason: 'stop' },
    ]);
    expect(heard).toEqual(['succeeded']);
  });

  it('passes on each chunk as it arrives', async () => {
    const next = Promise.withResolvers<void>();
    const chat = await openChat({
      parts: async function* () {
        yield* texts('first');
        await next.promise;
        yield* texts('second');
        yield finish();
      },
    });
    const stream = await chat.calls.stream(chat.model, prompt, { signal: patient() });
    expect(await stream.next()).toEqual({ done: false, value: { content: 'first' } });
    next.resolve();
    expect(await stream.next()).toEqual({ done: false, value: { content: 'second' } });
  });

  it('accepts a stream without text', async () => {
    const { chunks } = await read({ parts: () => [finish('content-filter')] });
    expect(chunks).toEqual([{ done: true, usage, finishReason: 'content_filter' }]);
  });

  const failing = new VendorError({ class: 'network', code: 'network', message: 'It is gone' });
  it.each([
    ['an error', () => [{ type: 'error' as const, error: failing }]],
    ['only thoughts and an error', () => [...thoughts('Hmm'), { type: 'error' as const, error: failing }]],
    ['nothing', () => []],
    ['an end that is none', () => [finish('interrupted')]],
    [
      'an end without a reason',
      () => [{ ...finish('other'), finishReason: { unified: 'other' as const, raw: undefined } }],
    ],
  ])('throws for a stream that starts with %s', async (_, parts) => {
    await expect(read({ parts })).rejects.toMatchObject({ name: 'AppError', code: 'unavailable' });
  });

  it.each([
    ['an error', () => [...texts('Hel'), { type: 'error' as const, error: failing }], 'network'],
    ['nothing', () => texts('Hel'), 'broken_off'],
    ['an end that is none', () => [...texts('Hel'), finish('interrupted')], 'broken_off'],
  ])('sends the failure as a chunk when a stream continues with %s', async (_, parts, code) => {
    const { chunks, heard } = await read({ parts });
    expect(chunks).toEqual([{ content: 'Hel' }, { error: expect.any(String), code }]);
    expect(heard).toEqual([code]);
  });

  it('limits the duration of a streamed answer', async () => {
    const { chunks, heard } = await read({
      longestMs: 100,
      parts: async function* ({ signal }) {
        yield* texts('Hel');
        await untilAborted(signal, new Promise<never>(() => undefined));
      },
    });
    expect(chunks).toEqual([{ content: 'Hel' }, { error: expect.any(String), code: 'timeout' }]);
    expect(heard).toEqual(['timeout']);
  });

  it.each(['the caller disconnects', 'the consumer stops reading'])(
    'aborts the stream when %s',
    async (how) => {
      const gone = new AbortController();
      const chat = await openChat({
        parts: async function* ({ signal }) {
          yield* texts('Hel');
          await untilAborted(signal, new Promise<never>(() => undefined));
        },
      });
      const stream = await chat.calls.stream(chat.model, prompt, { signal: gone.signal });
      await stream.next();
      if (how === 'the consumer stops reading') await stream.return(undefined);
      else {
        const next = stream.next();
        gone.abort();
        expect(await next).toEqual({ done: true, value: undefined });
      }
      expect(chat.asked[0]?.signal?.aborted).toBe(true);
      expect(chat.heard).toEqual([]);
    },
  );
});

/** What a vendor's connection does: it fails when it is aborted. */
function untilAborted<T>(signal: AbortSignal | undefined, otherwise: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });
  return Promise.race([aborted, otherwise]);
}
