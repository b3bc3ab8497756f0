import { describe, expect, it } from 'vitest';
import { createClaudeDriver } from '../../../../../src/core/agents/drivers/claude/claude-driver.ts';
import {
  assistant,
  claudeSession,
  order,
  result,
  say,
  streamed,
  textDelta,
  toolResult,
  use,
} from '../../../../helpers/agents/claude-session.ts';
import { comparePlayed, type KnownDifferences } from '../../../../helpers/agents/compare-played.ts';
import { playTranscript, scenariosOf } from '../../../../helpers/agents/transcripts.ts';

const differences: Record<string, KnownDifferences> = {
  // Tokens there are those of the last turn, here those of the process.
  'two-turns': { usage: { inputTokens: 22, outputTokens: 14, cachedInputTokens: 6 } },
  // The cost there includes what the session cost before it was resumed.
  'resume-2': { usage: { costUsd: 0.0001846 } },
  // The call that was cut short is in the cost there, but not in the tokens.
  'cancel-model': { usage: { inputTokens: 11, outputTokens: 11, cachedInputTokens: 3 } },
};

it.each(scenariosOf('claude-stdio'))('reports a recorded run as it has to: %s', async (scenario) => {
  comparePlayed(await playTranscript('claude-stdio', scenario, createClaudeDriver), differences[scenario]);
});

const crashed = { code: 1, signal: null };

describe('the prompt', () => {
  it('carries images before its text', async () => {
    const session = claudeSession();
    await session.start();
    void session.driver.prompt('Look.', [{ mediaType: 'image/png', base64: 'AAAA' }]);
    expect(session.sent.at(-1)).toMatchObject({
      type: 'user',
      message: {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
          { type: 'text', text: 'Look.' },
        ],
      },
    });
  });

  it('is refused while another one runs', async () => {
    const session = claudeSession();
    await session.start();
    void session.driver.prompt('One.');
    expect(await session.driver.prompt('Two.')).toMatchObject({ failure: { code: 'turn_in_progress' } });
  });

  it('runs in the same session as the one before, with a text of its own', async () => {
    const session = claudeSession();
    await session.start();
    const first = session.driver.prompt('One.');
    session.receive(say('First.'));
    session.receive(result({ total_cost_usd: 0.1, usage: { input_tokens: 5, output_tokens: 1 } }));
    expect(await first).toEqual({ outcome: 'completed', text: 'First.' });
    const second = session.driver.prompt('Two.');
    expect(session.sent.at(-1)).toMatchObject({ session_id: 's1' });
    session.receive(result({ total_cost_usd: 0.3, usage: { input_tokens: 7, output_tokens: 2 } }));
    expect(await second).toMatchObject({ outcome: 'failed', text: '', failure: { code: 'empty' } });
    expect(session.sessions).toEqual(['s1']);
    expect(session.usage.at(-1)).toMatchObject({ inputTokens: 12, outputTokens: 3 });
    expect(session.usage.at(-1)?.costUsd).toBeCloseTo(0.3);
  });
});

describe('text', () => {
  it('comes from whole messages where none is streamed', async () => {
    const session = claudeSession();
    await session.start();
    const end = session.driver.prompt('Go.');
    session.receive(assistant([{ type: 'thinking', thinking: 'Hm.' }]));
    session.receive(say('Here '));
    session.receive(say('it is.'));
    session.receive(result());
    expect(await end).toEqual({ outcome: 'completed', text: 'Here it is.' });
    expect(session.text).toEqual(['Here ', 'it is.']);
    expect(session.thinking).toEqual(['Hm.']);
  });

  it('is not reported twice where it is also streamed', async () => {
    const session = claudeSession();
    await session.start();
    const end = session.driver.prompt('Go.');
    session.receive(streamed({ type: 'message_start', message: { id: 'm' } }));
    session.receive(textDelta('one '));
    session.receive(textDelta('two'));
    session.receive(textDelta('three'));
    session.receive(say('one two', {}, { id: 'm' }));
    session.receive(say('three', {}, { id: 'm' }));
    session.receive(result());
    expect(await end).toMatchObject({ text: 'one twothree' });
    expect(session.text).toEqual(['one ', 'two', 'three']);
  });

  it('goes on after a stream that was cut, without the part that came before', async () => {
    const session = claudeSession();
    await session.start();
    const end = session.driver.prompt('Go.');
    session.receive(streamed({ type: 'message_start', message: { id: 'a' } }));
    session.receive(textDelta('fin'));
    session.receive(say('finished'));
    session.receive(result());
    expect(await end).toEqual({ outcome: 'completed', text: 'finished' });
    expect(session.text.join('')).toBe('finished');
  });

  it('of a subagent is not the answer, but its calls and tokens count', async () => {
    const session = claudeSession();
    await session.start();
    const end = session.driver.prompt('Go.');
    const parent = { parent_tool_use_id: 'task_1' };
    session.receive(use('task_1', 'Task', { prompt: 'Look.' }));
    session.receive(textDelta('inner', parent));
    session.receive(say('inner', parent, { usage: { input_tokens: 4, output_tokens: 2 } }));
    session.receive(use('c1', 'Bash', { command: 'ls' }, parent));
    session.receive(toolResult('c1', 'a.txt', parent));
    expect(session.usage.at(-1)).toMatchObject({ inputTokens: 4, outputTokens: 2 });
    session.receive(result({ usage: { input_tokens: 1, output_tokens: 1 } }));
    expect(await end).toMatchObject({ outcome: 'failed', text: '', failure: { code: 'empty' } });
    expect(session.text).toEqual([]);
    expect(session.calls.get('c1')).toMatchObject({ kind: 'shell', status: 'completed', output: 'a.txt' });
    expect(session.steps).toBe(3);
  });
});

describe('usage', () => {
  it('counts a message of several lines once, and cache writes as input', async () => {
    const session = claudeSession();
    await session.start();
    void session.driver.prompt('Go.');
    const usage = {
      input_tokens: 10,
      cache_creation_input_tokens: 90,
      cache_read_input_tokens: 5,
      output_tokens: 1,
    };
    session.receive(streamed({ type: 'message_start', message: { id: 'm', usage } }));
    session.receive(say('a', {}, { id: 'm', usage }));
    session.receive(say('b', {}, { id: 'm', usage }));
    session.receive(streamed({ type: 'message_delta', usage: { output_tokens: 8 } }));
    expect(session.usage.at(-1)).toEqual({ inputTokens: 100, outputTokens: 8, cachedInputTokens: 5 });
    expect(session.steps).toBe(1);
    const model = {
      inputTokens: 10,
      outputTokens: 8,
      cacheReadInputTokens: 5,
      cacheCreationInputTokens: 90,
      costUSD: 0.2,
    };
    const small = {
      inputTokens: 3,
      outputTokens: 1,
      cacheReadInputTokens: 0,
      cacheCreationInputTokens: 0,
      costUSD: 0.1,
    };
    session.receive(result({ total_cost_usd: 5, usage, model_usage_since_last_result: { model, small } }));
    expect(session.usage.at(-1)).toMatchObject({ inputTokens: 103, outputTokens: 9, cachedInputTokens: 5 });
    expect(session.usage.at(-1)?.costUsd).toBeCloseTo(0.3);
  });
});

describe('the end of a turn', () => {
  const fails = async (lines: object[], failure: object) => {
    const session = claudeSession();
    await session.start();
    const end = session.driver.prompt('Go.');
    for (const line of lines) session.receive(line);
    expect(await end).toMatchObject({ outcome: 'failed', failure });
  };
  const failed = (fields: object) => result({ is_error: true, terminal_reason: 'api_error', ...fields });

  it.each([
    [{ api_error_status: 403 }, 'auth', 'forbidden'],
    [{ api_error_status: 529 }, 'network', 'server_error'],
    [{ api_error_status: null }, 'network', 'connection_lost'],
    [{ terminal_reason: 'model_error' }, 'agent_error', 'execution_failed'],
    [{ subtype: 'error_max_turns', terminal_reason: 'max_turns' }, 'agent_error', 'max_turns'],
    [{ api_error: 'usage_limit_reached', api_error_status: 429 }, 'quota', 'usage_limit'],
    [{ is_error: false, stop_reason: 'refusal' }, 'agent_error', 'refused'],
    [{ is_error: undefined }, 'network', 'connection_lost'],
  ])('with %j is a failure of the class %s', (fields, failureClass, code) =>
    fails([say('Something.'), failed(fields)], { class: failureClass, code }),
  );

  it.each([
    ['authentication_failed', 'auth', 'login_required'],
    ['billing_error', 'quota', 'no_credit'],
    ['overloaded', 'network', 'server_error'],
  ])('with the message error %s is a failure of the class %s', (error, failureClass, code) =>
    fails([say('Oh.', { error }, { model: '<synthetic>' }), failed({})], { class: failureClass, code }),
  );

  it('names the time of the reset of a usage limit, and says it in a sentence', () =>
    fails(
      [
        { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt: 1_795_359_307 } },
        failed({ api_error_status: 429, result: 'Your limit resets\n2:55pm.' }),
      ],
      {
        class: 'quota',
        code: 'usage_limit',
        message: 'Claude Code reached its usage limit: Your limit resets 2:55pm.',
        resetsAt: 1_795_359_307_000,
      },
    ));

  it('is no success with nothing but a text of the CLI itself', () =>
    fails([say('No response requested.', {}, { model: '<synthetic>' }), result()], { code: 'empty' }));

  it('is a success without text if a file was changed', async () => {
    const session = claudeSession();
    await session.start();
    const end = session.driver.prompt('Go.');
    session.receive(use('c', 'Edit', { file_path: '/w/a', old_string: 'a', new_string: 'b' }));
    const structuredPatch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-a', '+b'] }];
    const detail = { filePath: '/w/a', oldString: 'a', newString: 'b', structuredPatch };
    session.receive(toolResult('c', 'ok', { tool_use_result: detail }));
    session.receive(result());
    expect(await end).toEqual({ outcome: 'completed', text: '' });
    expect(session.calls.get('c')?.diff).toEqual([
      { path: '/w/a', oldText: 'a', newText: 'b', diff: '@@ -1,1 +1,1 @@\n-a\n+b\n' },
    ]);
  });

  it('is a crash if the program ends first, and so is every later prompt', async () => {
    const session = claudeSession();
    await session.start();
    const end = session.driver.prompt('Go.');
    session.receive(textDelta('half'));
    session.driver.close({ code: 3, signal: null }, 'Segmentation fault\n');
    const failure = {
      class: 'agent_crash',
      code: 'exited',
      message: 'Claude Code ended before its turn was over (exit code 3): Segmentation fault',
    };
    expect(await end).toEqual({ outcome: 'failed', text: 'half', failure });
    expect(await session.driver.prompt('Again.')).toEqual({ outcome: 'failed', text: '', failure });
    expect(await session.driver.open(order)).toEqual({ failure });
  });
});

describe('a session to continue that does not exist', () => {
  const sentence = 'No conversation found with session ID: 0b6f';
  const missing = result({
    subtype: 'error_during_execution',
    is_error: true,
    num_turns: 0,
    session_id: '0b6f',
    errors: [sentence],
  });

  it('fails to open, by the result that names it', async () => {
    const session = claudeSession();
    const opened = session.driver.open({ ...order, resume: '0b6f' });
    session.receive(missing);
    session.driver.close(crashed, `${sentence}\n`);
    expect(await opened).toMatchObject({ failure: { code: 'session_not_found' } });
    expect(session.sessions).toEqual([]);
  });

  it('fails to open, by the end of the program alone', async () => {
    const session = claudeSession();
    const opened = session.driver.open({ ...order, resume: '0b6f' });
    session.driver.close(crashed, `Warning: no stdin data\n${sentence}\n`);
    expect(await opened).toMatchObject({ failure: { code: 'session_not_found' } });
  });

  it('fails the turn where it is only found out then', async () => {
    const session = claudeSession();
    await session.start();
    const end = session.driver.prompt('Go.');
    session.receive(missing);
    expect(await end).toMatchObject({ outcome: 'failed', failure: { code: 'session_not_found' } });
  });
});

it('fails to open if the initialize request is refused', async () => {
  const session = claudeSession();
  const opened = session.driver.open(order);
  session.receive({
    type: 'control_response',
    response: { subtype: 'error', request_id: session.sent[0]?.['request_id'], error: 'No.' },
  });
  expect(await opened).toMatchObject({
    failure: { code: 'initialization_failed', message: 'Claude Code could not be started: No.' },
  });
});

it('replaces the plan that is written as a whole', async () => {
  const session = claudeSession();
  await session.start();
  void session.driver.prompt('Go.');
  session.receive(
    use('t', 'TodoWrite', { todos: [{ content: 'One', status: 'completed' }, { content: 'Two' }] }),
  );
  session.receive(toolResult('t', 'ok'));
  session.receive(use('u', 'TaskUpdate', { taskId: '1', status: 'deleted' }));
  session.receive(toolResult('u', 'ok'));
  expect(session.plans).toEqual([
    [
      { text: 'One', status: 'completed' },
      { text: 'Two', status: 'pending' },
    ],
    [{ text: 'Two', status: 'pending' }],
  ]);
});

it('notes the retries of Claude Code', async () => {
  const session = claudeSession();
  await session.start();
  session.receive({ type: 'system', subtype: 'api_retry', attempt: 1, max_retries: 2, error_status: 500 });
  expect(session.notes).toEqual(['A model call of Claude Code failed with status 500: retry 1 of 2.']);
});
