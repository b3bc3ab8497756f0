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
  it('is the text alone, without what the model thought', async () => {
    const { answer, heard } = await ask({ answer: () => ({ text: 'Hello', thought: 'Hmm' }) });
    expect(answer).toEqual({ content: 'Hello', finishReason: 'stop', usage });
    expect(heard).toEqual(['succeeded']);
  });

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['content-filter', 'content_filter'],
    ['tool-calls', 'tool_calls'],
    ['error', 'error'],
    ['other', 'other'],
  ] as const)('that ended with %s says %s', async (finishReason, said) => {
    expect((await ask({ answer: () => ({ text: '', finishReason }) })).answer.finishReason).toBe(said);
  });

  it.each([
    [undefined, undefined, {}],
    [7, undefined, { promptTokens: 7 }],
    [0, 0, { promptTokens: 0, completionTokens: 0, totalTokens: 0 }],
    [1.5, -1, {}],
  ])('has of the usage %s and %s what is known', async (input, output, known) => {
    const tokens = {
      inputTokens: { total: input, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
      outputTokens: { total: output, text: undefined, reasoning: undefined },
    };
    const { answer } = await ask({ answer: () => ({ text: 'a', usage: tokens }) });
    expect(answer.usage).toEqual(known);
  });

  it('is refused with what went wrong', async () => {
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

  it('may take only so long', async () => {
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

  it('is given up when nobody waits for it, which is not the fault of the provider', async () => {
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
  it('comes piece by piece, without what the model thought and without empty pieces', async () => {
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

  it('passes on each piece when it comes', async () => {
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

  it('may be nothing but its end', async () => {
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
  ])('that begins with %s is refused', async (_, parts) => {
    await expect(read({ parts })).rejects.toMatchObject({ name: 'AppError', code: 'unavailable' });
  });

  it.each([
    ['an error', () => [...texts('Hel'), { type: 'error' as const, error: failing }], 'network'],
    ['nothing', () => texts('Hel'), 'broken_off'],
    ['an end that is none', () => [...texts('Hel'), finish('interrupted')], 'broken_off'],
  ])('that goes on with %s ends with what went wrong', async (_, parts, code) => {
    const { chunks, heard } = await read({ parts });
    expect(chunks).toEqual([{ content: 'Hel' }, { error: expect.any(String), code }]);
    expect(heard).toEqual([code]);
  });

  it('may take only so long', async () => {
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

  it.each(['the caller leaves', 'the reader stops'])('is given up when %s', async (how) => {
    const gone = new AbortController();
    const chat = await openChat({
      parts: async function* ({ signal }) {
        yield* texts('Hel');
        await untilAborted(signal, new Promise<never>(() => undefined));
      },
    });
    const stream = await chat.calls.stream(chat.model, prompt, { signal: gone.signal });
    await stream.next();
    if (how === 'the reader stops') await stream.return(undefined);
    else {
      const next = stream.next();
      gone.abort();
      expect(await next).toEqual({ done: true, value: undefined });
    }
    expect(chat.asked[0]?.signal?.aborted).toBe(true);
    expect(chat.heard).toEqual([]);
  });
});

/** What a vendor's connection does: it fails when it is aborted. */
function untilAborted<T>(signal: AbortSignal | undefined, otherwise: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason as Error));
  });
  return Promise.race([aborted, otherwise]);
}
