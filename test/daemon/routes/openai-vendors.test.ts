import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyNth } from '../../helpers/long.ts';
import { RecordedExchange } from '../../helpers/recorded-exchange.ts';
import { answers, callsIn, hasMore, typeOf, unreadable, usageIn } from '../../helpers/recordings.ts';
import type { RecordedCase } from '../../helpers/replay-server.ts';
import { hasSharedFixtures } from '../../helpers/shared-fixture.ts';

let exchange: RecordedExchange;
const clients = new Map<string, Promise<OpenAI>>();
beforeAll(async () => {
  if (hasSharedFixtures) exchange = await RecordedExchange.start();
});
afterAll(() => exchange?.[Symbol.asyncDispose]());

async function clientOf(recording: RecordedCase): Promise<OpenAI> {
  const { url, client } = exchange.daemonOf(recording);
  const known =
    clients.get(url) ??
    client.tokens
      .create({ body: { name: 'door', scopes: ['models:use'] } })
      .then(({ token }) => new OpenAI({ baseURL: `${url}/v1`, apiKey: token, maxRetries: 0 }));
  clients.set(url, known);
  return known;
}

/** Some vendors do not say both counts, and then there is no usage at all. */
function expectUsage(usage: OpenAI.CompletionUsage | undefined, recording: RecordedCase) {
  if (!usage) return;
  const { promptTokens, completionTokens, totalTokens } = usageIn(recording);
  if (totalTokens === undefined || totalTokens === 0) return;
  expect(usage).toMatchObject({
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: totalTokens,
  });
}

const readable = answers.filter((recording) => !(recording.id in unreadable) && !hasMore(recording));

describe.skipIf(!hasSharedFixtures)('the official package', () => {
  it.each(everyNth(3, readable))('understands what the vendor answered: $id', async (recording) => {
    const daemon = exchange.daemonOf(recording);
    const model = `${typeOf(recording)}/${await daemon.play(recording.id)}`;
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters: {} } }];
    const body = { model, messages: [{ role: 'user' as const, content: 'Hi' }], tools };
    const { completions } = (await clientOf(recording)).chat;
    const { choices, usage } = recording.request.stream
      ? await completions.stream({ ...body, stream_options: { include_usage: true } }).finalChatCompletion()
      : await completions.create(body);
    const { content, tool_calls: calls = [] } = choices[0]?.message ?? {};
    expect((content ?? '').trim()).toBe((recording.expect?.text ?? '').trim());
    const called = calls.flatMap((call) =>
      call.type === 'function'
        ? [{ name: call.function.name, arguments: JSON.parse(call.function.arguments) as unknown }]
        : [],
    );
    expect(called).toEqual(callsIn(recording));
    expectUsage(usage, recording);
  });
});
