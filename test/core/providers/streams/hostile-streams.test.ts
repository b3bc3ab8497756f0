import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, it } from 'vitest';
import type { AnswerPart, VendorModel } from '../../../../src/core/providers/resolved-model.ts';
import { answerParts, readParts } from '../../../../src/core/providers/streams/answer-parts.ts';
import { WholeAnswers } from '../../../../src/core/providers/whole-answers.ts';
import { shownParts } from './shown-parts.ts';

type Vendor = 'openai' | 'compatible' | 'anthropic';
type Create = (fetch: typeof globalThis.fetch) => VendorModel;
const settings = { apiKey: 'key', baseURL: 'https://llm.example/v1' };
const vendors: Record<Vendor, Create> = {
  openai: (fetch) => createOpenAI({ ...settings, fetch }).chat('m'),
  compatible: (fetch) => createOpenAICompatible({ ...settings, name: 'server', fetch })('m'),
  anthropic: (fetch) => createAnthropic({ ...settings, fetch })('m'),
};

const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
const chunk = (delta: object, finish_reason: string | null = null) =>
  event({
    id: 'c1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
const usage = event({
  id: 'c1',
  choices: [],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
});
const chatOf = (...events: string[]) =>
  [chunk({ role: 'assistant', content: '' }), ...events, chunk({}, 'stop'), usage, event('[DONE]')].join('');

const said = (...texts: string[]) => texts.map((content) => chunk({ content }));
const chat: Record<string, string> = {
  'plain text': chatOf(...said('Hel', 'lo, ', 'you')),
  'characters of four bytes': chatOf(...said('😀', 'ü', '日本', '😀😀')),
  'carriage returns and line feeds': chatOf(...said('a', 'b', 'c')).replaceAll('\n', '\r\n'),
  'carriage returns alone': chatOf(...said('a', 'b')).replaceAll('\n', '\r'),
  'comments between and within events': `: hi\n\n${chatOf(': a\n\n', ...said('a'), ': b\n: c\n\n', `: d\n${chunk({ content: 'b' })}`, ...said('c'))}`,
  'a byte order mark': `\u{feff}${chatOf(...said('a', 'b'))}`,
  'no blank line at the end': chatOf(...said('a', 'b'))
    .replace(/data: \[DONE\]\n\n$/, '')
    .trimEnd(),
  'the end without a blank line': chatOf(...said('a', 'b')).trimEnd(),
  'text after the end': `${chatOf(...said('a', 'b'))}${chunk({ content: 'never' })}`,
  'no end at all': said('a', 'b', 'c').join(''),
  'no data': '',
  'data in several lines': chatOf(
    ...said('a'),
    'data: {"id":"c1","choices":\ndata: [{"index":0,"delta":{"content":"b"}}]}\n\n',
    ...said('c'),
  ),
  'names, ids and delays of events': chatOf(
    ...said('a'),
    `event: message\nid: 7\nretry: 9\n${chunk({ content: 'b' })}`,
    `event: x\n${chunk({ content: 'c' })}`,
    ...said('d'),
  ),
  'data without a space': chatOf(...said('a', 'b')).replaceAll('data: ', 'data:'),
  'broken JSON': chatOf(...said('a'), 'data: {"choices":[{"index":0,\n\n', ...said('b')),
  'data that is no object': chatOf(...said('a'), event('7'), event('null'), event('[]'), ...said('b')),
  'an error between pieces': chatOf(
    ...said('a', 'b'),
    event({ error: { message: 'overloaded', type: 'server_error', code: 'overloaded' } }),
  ),
  'an error before any text': event({ error: { message: 'overloaded', type: 'server_error' } }),
  'an error after the role': chatOf(
    event({ error: { message: 'rate limit', type: 'rate_limit_exceeded', code: 429 } }),
  ),
  HTML: '<!doctype html>\n<html>\n\n<body>data: no</body>\n\n</html>',
  'a line of a million characters': chatOf(...said('a', 'x'.repeat(1_000_000), 'b')),
  'a million characters without a line end': `${chatOf(...said('a', 'b')).slice(0, -20)}${'y'.repeat(1_000_000)}`,
  'fields of the wrong types': chatOf(
    ...said('a'),
    event({ id: 5, created: 'now', choices: [{ index: 0, delta: { content: 'b' } }] }),
    ...said('c'),
  ),
  'text of the wrong type': chatOf(...said('a'), chunk({ content: 7 }), ...said('b')),
  'a dangerous key': chatOf(
    ...said('a'),
    event('{"id":"c1","__proto__":{"x":1},"choices":[{"index":0,"delta":{"content":"b"}}]}'),
    ...said('c'),
  ),
  'two choices': chatOf(
    event({
      id: 'c1',
      choices: [
        { index: 0, delta: { content: 'a' } },
        { index: 1, delta: { content: 'b' } },
      ],
    }),
    ...said('c'),
  ),
  'a refusal': chatOf(...said('a'), chunk({ refusal: 'no' }), ...said('b')),
  'text with the finish reason': `${said('a', 'b').join('')}${chunk({ content: 'c' }, 'length')}${event('[DONE]')}`,
  'text and usage in one chunk': chatOf(
    ...said('a'),
    event({
      id: 'c1',
      choices: [{ index: 0, delta: { content: 'b' } }],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    }),
  ),
  'thoughts before text': chatOf(
    chunk({ reasoning_content: 'hm' }),
    chunk({ reasoning_content: 'm' }),
    ...said('a', 'b'),
  ),
  'thoughts under another name': chatOf(
    chunk({ reasoning: 'hm', content: '' }),
    chunk({ reasoning: 'm' }),
    ...said('a', 'b'),
  ),
  'thoughts after text': chatOf(
    ...said('a'),
    chunk({ reasoning_content: 'hm' }),
    chunk({ reasoning_content: 'm' }),
    ...said('b', 'c'),
  ),
  'thoughts and text in one chunk': chatOf(chunk({ reasoning_content: 'hm', content: 'a' }), ...said('b')),
  'a call after text': chatOf(
    ...said('a', 'b'),
    chunk({
      tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'look', arguments: '{"a"' } }],
    }),
    chunk({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
  ),
  'text after a call': chatOf(
    ...said('a'),
    chunk({
      tool_calls: [{ index: 0, id: 't1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    }),
    ...said('b', 'c'),
  ),
};

const typed = (data: { type: string }) => `event: ${data.type}\n${event(data)}`;
const begin = typed({
  type: 'message_start',
  message: {
    id: 'm1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 3, output_tokens: 1 },
  },
} as { type: string });
const block = (index: number, content_block: object) =>
  typed({ type: 'content_block_start', index, content_block } as { type: string });
const delta = (index: number, change: object) =>
  typed({ type: 'content_block_delta', index, delta: change } as { type: string });
const stop = (index: number) => typed({ type: 'content_block_stop', index } as { type: string });
const end = (reason = 'end_turn') =>
  typed({
    type: 'message_delta',
    delta: { stop_reason: reason, stop_sequence: null },
    usage: { output_tokens: 9 },
  } as { type: string }) + typed({ type: 'message_stop' });
const textBlock = (index: number, ...texts: string[]) =>
  block(index, { type: 'text', text: '' }) +
  texts.map((text) => delta(index, { type: 'text_delta', text })).join('') +
  stop(index);
const thinkingBlock = (index: number) =>
  block(index, { type: 'thinking', thinking: '', signature: '' }) +
  ['hm', '', 'm'].map((thinking) => delta(index, { type: 'thinking_delta', thinking })).join('') +
  delta(index, { type: 'signature_delta', signature: 'sig' }) +
  stop(index);
const callBlock = (index: number) =>
  block(index, { type: 'tool_use', id: 'tu1', name: 'look', input: {} }) +
  delta(index, { type: 'input_json_delta', partial_json: '{"a":' }) +
  delta(index, { type: 'input_json_delta', partial_json: '1}' }) +
  stop(index);
const ping = typed({ type: 'ping' });
const failure = typed({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as {
  type: string;
});
const messages: Record<string, string> = {
  'plain text': begin + textBlock(0, 'Hel', 'lo') + end(),
  'characters of four bytes, and pings': begin + ping + textBlock(0, '😀', 'ü日本', '😀') + ping + end(),
  'carriage returns': (begin + textBlock(0, 'a', 'b') + end()).replaceAll('\n', '\r\n'),
  'two texts': begin + textBlock(0, 'a', 'b') + textBlock(1, 'c', 'd') + end(),
  'empty pieces': begin + textBlock(0, '', 'a', '', 'b') + end(),
  'thoughts, text and a call':
    begin + thinkingBlock(0) + textBlock(1, 'a', 'b') + callBlock(2) + end('tool_use'),
  'text after a call': begin + callBlock(0) + textBlock(1, 'a', 'b') + end(),
  'hidden thoughts':
    begin + block(0, { type: 'redacted_thinking', data: 'x' }) + stop(0) + textBlock(1, 'a', 'b') + end(),
  'an error between pieces':
    begin +
    block(0, { type: 'text', text: '' }) +
    delta(0, { type: 'text_delta', text: 'a' }) +
    delta(0, { type: 'text_delta', text: 'b' }) +
    failure,
  'an error at once': failure,
  'no end': begin + textBlock(0, 'a', 'b'),
  'no end, and only an empty piece': begin + textBlock(0, ''),
  'a second message':
    begin + textBlock(0, 'a', 'b') + end() + begin.replace('m1', 'm2') + textBlock(0, 'c', 'd') + end(),
  'a second message before the first ends':
    begin + textBlock(0, 'a', 'b') + begin.replace('m1', 'm2') + textBlock(0, 'c') + end(),
  'an unknown event': begin + textBlock(0, 'a', 'b') + typed({ type: 'surprise' }) + end(),
  'a piece of no block': begin + delta(3, { type: 'text_delta', text: 'a' }) + end(),
  'thoughts in a text':
    begin +
    block(0, { type: 'text', text: '' }) +
    delta(0, { type: 'thinking_delta', thinking: 'a' }) +
    end(),
  'a source within a text':
    begin +
    block(0, { type: 'text', text: '' }) +
    delta(0, { type: 'text_delta', text: 'a' }) +
    delta(0, {
      type: 'citations_delta',
      citation: {
        type: 'web_search_result_location',
        cited_text: 'q',
        url: 'https://a.example',
        title: 't',
        encrypted_index: 'e',
      },
    }) +
    delta(0, { type: 'text_delta', text: 'b' }) +
    stop(0) +
    end(),
  HTML: '<html>\n\n</html>',
};

const cases = [
  ...Object.entries(chat).flatMap(
    ([name, body]) =>
      [
        ['openai', name, body],
        ['compatible', name, body],
      ] as const,
  ),
  ...Object.entries(messages).map(([name, body]) => ['anthropic', name, body] as const),
];

/** A body in pieces of so many bytes, which fails at the end where `failure` is set. */
function bodyOf(text: string, size: number, failure?: Error): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) return controller.enqueue(bytes.slice(at, (at += size)));
      if (failure) controller.error(failure);
      else controller.close();
    },
  });
}

function modelOf(vendor: Vendor, body: () => ReadableStream<Uint8Array>) {
  const answers = new WholeAnswers();
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = answers.fetch(async () => new Response(body(), { headers }));
  return answers.accept(vendors[vendor](fetch));
}

async function bothWays(vendor: Vendor, body: () => ReadableStream<Uint8Array>) {
  const model = modelOf(vendor, body);
  const request = {
    prompt: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hi' }] }],
    tools: [{ type: 'function' as const, name: 'look', inputSchema: { type: 'object' as const } }],
  };
  async function* throughPackage(): AsyncGenerator<readonly AnswerPart[], void> {
    yield* readParts((await model.doStream(request)).stream, undefined);
  }
  return { lean: await shownParts(answerParts(model, request)), whole: await shownParts(throughPackage()) };
}

describe('a stream with', () => {
  it.each(cases)('(%s) %s has the parts that the package makes', async (vendor, _name, text) => {
    for (const size of text.length > 100_000 ? [65_536, Infinity] : [1, 2, 7, 100, Infinity]) {
      const { lean, whole } = await bothWays(vendor, () => bodyOf(text, size));
      expect(lean).toEqual(whole);
    }
  });

  it.each(['openai', 'compatible', 'anthropic'] as const)(
    '(%s) a connection that fails ends with its error',
    async (vendor) => {
      const text = vendor === 'anthropic' ? begin + textBlock(0, 'a', 'b') : said('a', 'b').join('');
      const { lean, whole } = await bothWays(vendor, () => bodyOf(text, Infinity, new Error('reset')));
      expect(lean.at(-1)).toEqual(whole.at(-1));
    },
  );

  it.each(['openai', 'anthropic'] as const)('(%s) a reader that leaves is cancelled', async (vendor) => {
    const cancelled = Promise.withResolvers<void>();
    const encoder = new TextEncoder();
    const first =
      vendor === 'anthropic'
        ? begin + block(0, { type: 'text', text: '' }) + delta(0, { type: 'text_delta', text: 'a' })
        : chunk({ content: 'a' });
    const body = () =>
      new ReadableStream<Uint8Array>({
        start: (controller) => controller.enqueue(encoder.encode(first)),
        cancel: () => cancelled.resolve(),
      });
    const parts = answerParts(modelOf(vendor, body), {
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
    });
    for await (const list of parts) if (list.some(({ type }) => type === 'text-delta')) break;
    await cancelled.promise;
  });
});
