import { expect, it } from 'vitest';
import { AcpAgent, order, Refusal } from '../../../../helpers/agents/acp-agent.ts';

async function working(images = true) {
  const agent = new AcpAgent({
    initialize: { protocolVersion: 1, agentCapabilities: { promptCapabilities: { image: images } } },
  });
  await agent.driver.open(order);
  return agent;
}
const uncounted = { _meta: { quota: { token_count: null } } };

it.each([
  [{ stopReason: 'end_turn' }, 'Done.', { outcome: 'completed', text: 'Done.' }],
  [{ stopReason: 'end_turn' }, ' \n', { failure: { class: 'agent_error', code: 'empty' } }],
  [{ stopReason: 'max_tokens' }, 'Half', { text: 'Half', failure: { code: 'answer_too_long' } }],
  [{ stopReason: 'max_turn_requests' }, 'Half', { failure: { code: 'max_turns' } }],
  [{ stopReason: 'refusal' }, 'No.', { failure: { code: 'refused' } }],
  [{ stopReason: 'toString' }, 'Hm.', { failure: { code: 'unknown_stop' } }],
  [null, 'Hm.', { failure: { code: 'unknown_stop' } }],
  [{ stopReason: 'cancelled' }, 'Hm.', { outcome: 'cancelled' }],
  [{ stopReason: 'end_turn', ...uncounted }, 'Strange error', { failure: { code: 'no_answer' } }],
  [
    { stopReason: 'end_turn', ...uncounted },
    'exceeded retry limit, last status: 429 Too Many Requests',
    { failure: { class: 'rate_limited' } },
  ],
  // The same words in an answer that a model gave are no failure.
  [{ stopReason: 'end_turn' }, 'exceeded retry limit, last status: 429', { outcome: 'completed' }],
])('the answer %j with the text %j is %j', async (answer, text, end) => {
  const agent = await working();
  const turn = agent.driver.prompt('go');
  await agent.message(text);
  await agent.respond('session/prompt', answer);
  expect(await turn).toMatchObject(end);
});

const counted = { _meta: { quota: { token_count: { inputTokens: 8, outputTokens: 7 } } } };

it.each([
  ['stream disconnected before completion: reset\n\n', 'network'],
  ['{"error":{"message":"Your input exceeds the context window of this model."}}\n\n', 'invalid_input'],
  ['Warning: the model is not known.\n\n', 'agent_error'],
])('a turn that ends with the notice %j of a bridge fails: %s', async (notice, failureClass) => {
  const agent = await working();
  const turn = agent.driver.prompt('go');
  await agent.message(notice);
  await agent.respond('session/prompt', { stopReason: 'end_turn', ...counted });
  expect(await turn).toMatchObject({ outcome: 'failed', failure: { class: failureClass } });
});

it('a turn whose model goes on after a notice of a bridge is complete', async () => {
  const agent = await working();
  const turn = agent.driver.prompt('go');
  await agent.message('stream disconnected before completion: reset\n\n');
  await agent.update('agent_message_chunk', { messageId: 'm', content: { type: 'text', text: 'Done.' } });
  await agent.respond('session/prompt', { stopReason: 'end_turn', ...counted });
  expect(await turn).toMatchObject({ outcome: 'completed' });
});

it('words of another session are not the answer, but its calls count', async () => {
  const agent = await working();
  const turn = agent.driver.prompt('go');
  const other = (update: object) =>
    agent.say({ method: 'session/update', params: { sessionId: 'child', update } });
  await other({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'No.' } });
  await other({ sessionUpdate: 'tool_call', toolCallId: 'c1', kind: 'read', title: 'a' });
  await agent.message('Yes.');
  await agent.respond('session/prompt', { stopReason: 'end_turn' });
  expect(await turn).toEqual({ outcome: 'completed', text: 'Yes.' });
  expect(agent.calls.map(({ id }) => id)).toEqual(['c1']);
});

it('an error that names its status in the way of Codex has the class of the status', async () => {
  const agent = await working();
  const turn = agent.driver.prompt('go');
  const data = { codexErrorInfo: { responseTooManyFailedAttempts: { httpStatusCode: 429 } } };
  await agent.respond('session/prompt', new Refusal({ code: -32603, message: 'Internal error', data }));
  expect(await turn).toMatchObject({ failure: { class: 'rate_limited' } });
});

it('a change of a file makes an answer unnecessary', async () => {
  const agent = await working();
  const turn = agent.driver.prompt('go');
  await agent.update('tool_call', { toolCallId: 'c1', kind: 'edit', title: 'a', status: 'completed' });
  await agent.respond('session/prompt', { stopReason: 'end_turn' });
  expect(await turn).toEqual({ outcome: 'completed', text: '' });
});

it('publishes what comes after the end of a turn', async () => {
  const agent = await working();
  const turn = agent.driver.prompt('go');
  await agent.message('Done');
  await agent.respond('session/prompt', {
    stopReason: 'end_turn',
    usage: { inputTokens: 5, outputTokens: 2 },
  });
  expect(await turn).toEqual({ outcome: 'completed', text: 'Done' });
  await agent.message('.');
  await agent.update('usage_update', { used: 7, size: 100, cost: { amount: 0.5, currency: 'USD' } });
  expect(agent.text).toBe('Done.');
  expect(agent.usage).toEqual({ inputTokens: 5, outputTokens: 2, costUsd: 0.5 });
});

it('adds up the tokens of all turns, and reports no cost that is 0 or in another currency', async () => {
  const agent = await working();
  for (const cost of [
    { amount: 0, currency: 'USD' },
    { amount: 3, currency: 'EUR' },
  ]) {
    const turn = agent.driver.prompt('go');
    await agent.update('usage_update', { cost });
    await agent.respond('session/prompt', {
      stopReason: 'end_turn',
      usage: { inputTokens: 5, outputTokens: 2, cachedReadTokens: 1 },
    });
    await turn;
  }
  expect(agent.usage).toEqual({ inputTokens: 10, outputTokens: 4, cachedInputTokens: 2 });
});

it('counts a model call for what is said after the start, a call that ended, or a report of usage', async () => {
  const agent = await working();
  void agent.driver.prompt('go');
  await agent.message('I look. ');
  await agent.update('tool_call', { toolCallId: 'c1', kind: 'read', title: 'a', status: 'in_progress' });
  await agent.update('tool_call', { toolCallId: 'c2', kind: 'read', title: 'b', status: 'in_progress' });
  expect(agent.steps).toBe(1);
  await agent.update('tool_call_update', { toolCallId: 'c1', status: 'completed' });
  await agent.update('tool_call_update', { toolCallId: 'c2', status: 'completed' });
  await agent.message('Done.');
  expect(agent.steps).toBe(2);
});

it('sends images only to agents that take them', async () => {
  const image = { mediaType: 'image/png', base64: 'AAAA' };
  for (const takesImages of [true, false]) {
    const agent = await working(takesImages);
    void agent.driver.prompt('look', [image]);
    expect(agent.sent.at(-1)?.params?.['prompt']).toEqual([
      ...(takesImages ? [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }] : []),
      { type: 'text', text: 'look' },
    ]);
    expect(agent.notes).toHaveLength(takesImages ? 0 : 1);
  }
});

it('takes one prompt at a time, and none without a session', async () => {
  const agent = await working();
  void agent.driver.prompt('go');
  expect(await agent.driver.prompt('again')).toMatchObject({ failure: { code: 'not_ready' } });
  expect(await new AcpAgent().driver.prompt('go')).toMatchObject({ failure: { code: 'not_ready' } });
});

it('ends as a crash when the agent exits, and as cancelled when it was cancelled before', async () => {
  for (const isCancelled of [false, true]) {
    const agent = await working();
    agent.decide = () => new Promise(() => undefined);
    const turn = agent.driver.prompt('go');
    await agent.ask(9, { toolCallId: 'c1', title: 'ls', kind: 'execute' });
    if (isCancelled) agent.driver.cancel();
    agent.driver.close({ code: null, signal: 'SIGKILL' }, 'warming up\nout of memory\n');
    expect(await turn).toMatchObject(
      isCancelled
        ? { outcome: 'cancelled' }
        : {
            failure: {
              class: 'agent_crash',
              message: 'The agent was ended by SIGKILL before it answered: out of memory',
            },
          },
    );
  }
});

it('keeps what a provider says of a login to itself: it may hold a part of the key', async () => {
  const agent = await working();
  const turn = agent.driver.prompt('go');
  await agent.say({
    id: 3,
    error: { code: -32603, message: 'Internal error: Incorrect API key provided: sk-abc.' },
  });
  expect(JSON.stringify(await turn)).not.toContain('sk-abc');
});
