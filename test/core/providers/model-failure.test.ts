import { APICallError, RetryError } from 'ai';
import { describe, expect, it } from 'vitest';
import { toModelFailure } from '../../../src/core/providers/model-failure.ts';
import { maskKey } from '../../../src/core/text/safe-text.ts';

const secret = 'the-configured-key-0123';
const now = Date.parse('2026-11-21T12:00:00.000Z');
const read = (error: unknown) => toModelFailure(error, { provider: 'openai', secrets: [secret], now });

const call = (statusCode: number, body: unknown, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: 'AI SDK says this',
    url: 'https://api.openai.com/v1/responses?key=in-the-url',
    requestBodyValues: { prompt: 'a secret prompt' },
    statusCode,
    responseHeaders,
    responseBody: typeof body === 'string' ? body : JSON.stringify(body),
  });

describe('an error of a vendor', () => {
  it.each<[string, number, unknown, object]>([
    ['a code in a 429', 429, { error: { code: 'insufficient_quota' } }, { class: 'quota' }],
    ['a 429', 429, { error: { message: 'Slow down' } }, { class: 'rate_limited' }],
    [
      'a limit that names a page about billing',
      429,
      { error: { message: 'Rate limit reached. Upgrade at https://console.groq.com/settings/billing' } },
      { class: 'rate_limited' },
    ],
    [
      'no credit in a 400',
      400,
      { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low' } },
      { class: 'quota' },
    ],
    ['a key in a 400', 400, { error: { details: [{ reason: 'API_KEY_INVALID' }] } }, { class: 'auth' }],
    ['a text alone', 422, { message: 'bad field' }, { class: 'invalid_input' }],
    [
      'details in a list',
      422,
      { detail: [{ loc: ['body'], msg: 'Field required' }] },
      { class: 'invalid_input', message: 'OpenAI does not accept the request: Field required' },
    ],
    [
      'too long a prompt',
      400,
      { error: { code: 'context_length_exceeded', message: 'Too long' } },
      { class: 'invalid_input', code: 'context_too_long' },
    ],
    [
      'a page',
      502,
      '<html><body><h1>Bad gateway</h1></body></html>',
      { class: 'network', message: 'OpenAI cannot answer now: it answered 502' },
    ],
    ['nothing', 500, '', { class: 'network' }],
    ['JSON of another kind', 500, '[1,[2,[3]],null]', { class: 'network' }],
    ['a page that says all is well', 200, '<html>', { class: 'agent_error', code: 'bad_answer' }],
  ])('classifies an error: %s', (_, status, body, expected) => {
    expect(read(call(status, body))).toMatchObject(expected);
  });

  it.each<[string, unknown, object]>([
    [
      'an object',
      { type: 'overloaded_error', message: 'Overloaded' },
      { class: 'network', code: 'overloaded' },
    ],
    ['a status as code', { code: 429, message: 'Wait' }, { class: 'rate_limited' }],
    ['an error in an error', { error: { code: 'server_error', message: 'Oops' } }, { class: 'network' }],
    ['a limit of tokens', { message: 'Token limit reached' }, { class: 'invalid_input' }],
    ['a text', 'something odd', { class: 'unknown', message: 'OpenAI failed: something odd' }],
    ['nothing', undefined, { class: 'unknown', message: 'OpenAI failed' }],
    ['a bug', new TypeError('x is not a function'), { class: 'unknown' }],
  ])('classifies an error in the middle of a stream: %s', (_, error, expected) => {
    expect(read(error)).toMatchObject(expected);
  });

  it('uses the error of the last attempt', () => {
    const errors = [call(500, ''), call(401, { error: 'no' })];
    const retry = new RetryError({
      message: 'Failed after 2 attempts',
      reason: 'maxRetriesExceeded',
      errors,
    });
    expect(read(retry)).toMatchObject({ class: 'auth' });
  });

  it.each([
    [new DOMException('gone', 'AbortError'), 'cancelled'],
    [new DOMException('late', 'TimeoutError'), 'timeout'],
  ])('classifies our own abort: %s', (error, expected) => {
    expect(read(error).class).toBe(expected);
  });
});

describe('the retry delay', () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after': 'Sat, 21 Nov 2026 12:00:10 GMT' }, 10_000],
    [{ 'retry-after': 'Sat, 21 Nov 2026 11:00:00 GMT' }, undefined],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '-5' }, undefined],
    [{ 'retry-after': '99999999999' }, 86_400_000],
    [{}, undefined],
  ])('reads the retry delay from %o', (headers, expected) => {
    expect(read(call(429, '', headers)).retryAfterMs).toBe(expected);
  });
});

describe('the message of a failure', () => {
  it.each([
    `Incorrect API key provided: ${secret}.`,
    'Incorrect API key provided: sk-proj-abc123def456ghi789. Find it at https://platform.openai.com',
    'Incorrect API key provided: sk-pr***************wxyz.',
    'Invalid header Bearer abcdef',
    'The key AIzaSyA1234567890abcdefghij is not valid',
    'gsk_1234567890abcdef is not valid',
    'token 0123456789abcdef0123456789abcdef is not valid',
  ])('redacts keys from the message: %s', (message) => {
    const failure = read(call(401, { error: { message } }));
    expect(failure.message).toContain('••••');
    expect(failure.message).not.toMatch(/the-configured|proj-abc|sk-pr|wxyz|abcdef|AIza|gsk_|0123456789/);
  });

  it('the message is one short line without the prompt and the URL', () => {
    const message = `line one\nline two\u0000\u202Eevil\u2028${'x '.repeat(1000)}`;
    const failure = read(call(400, { error: { message } }));
    expect(failure.message).toMatch(/^OpenAI does not accept the request: line one line two ?evil x/);
    expect(failure.message.length).toBeLessThan(400);
    for (const text of [failure.message, read(call(400, '')).message])
      expect(text).not.toMatch(/secret prompt|in-the-url|[\p{C}\u2028]/u);
  });

  it('the message keeps the names of models', () => {
    const message = "model 'claude-3-5-sonnet-20241022' or 'gpt-4o-mini-2024-07-18' does not exist";
    expect(read(call(404, { error: { message } })).message).toContain(message);
  });

  it('the message names the command that sets a key', () => {
    expect(read(call(401, {})).message).toBe(
      'OpenAI refuses the key: it answered 401. Set another: svc providers configure openai',
    );
  });
});

describe('a masked key', () => {
  it.each([
    ['sk-0123456789abcd', '…abcd'],
    ['0123456789012', '…9012'],
    ['012345678901', '••••'],
    ['x', '••••'],
  ])('masks a key: %s', (key, expected) => {
    expect(maskKey(key)).toBe(expected);
  });
});
