import { describe, expect, it } from 'vitest';
import {
  claudeSession,
  result,
  say,
  textDelta,
  toolResult,
  use,
} from '../../../../helpers/agents/claude-session.ts';

async function turn(...lines: object[]) {
  const session = claudeSession();
  await session.start();
  const end = session.driver.prompt('Go.');
  for (const line of lines) session.receive(line);
  return { session, end: await end };
}

describe('a turn of Claude Code', () => {
  it('counts and says a line that comes twice once', async () => {
    const usage = { input_tokens: 5, output_tokens: 2 };
    const done = { ...say('Done.'), uuid: 'u1' };
    const over = { ...result({ usage }), uuid: 'u2' };
    const { session, end } = await turn(done, done, over, over);
    expect(end).toEqual({ outcome: 'completed', text: 'Done.' });
    expect(session.text.join('')).toBe('Done.');
    expect(session.usage.at(-1)).toMatchObject({ inputTokens: 5, outputTokens: 2 });
  });

  it('has the text that was streamed where the line with the whole is lost', async () => {
    const { session, end } = await turn(textDelta('Do'), textDelta('ne.'), result());
    expect(end).toEqual({ outcome: 'completed', text: 'Done.' });
    expect(session.text.join('')).toBe('Done.');
  });

  it('has the text of its result where nothing else was said', async () => {
    const { session, end } = await turn(result({ result: 'Done.' }));
    expect(end).toEqual({ outcome: 'completed', text: 'Done.' });
    expect(session.text.join('')).toBe('Done.');
  });

  it('joins the result of a call whose id is a number', async () => {
    const call = use('7', 'Bash', { command: 'ls' }) as { message: { content: { id: unknown }[] } };
    for (const part of call.message.content) part.id = 7;
    const { session } = await turn(call, toolResult('7', 'a.txt'), say('Done.'), result());
    expect(session.calls.get('7')).toMatchObject({ status: 'completed', output: 'a.txt' });
  });

  it.each([
    [1_790_000_000, 1_790_000_000_000],
    [1_790_000_000_000, 1_790_000_000_000],
    ['2026-11-24T12:00:00Z', Date.UTC(2026, 10, 24, 12)],
    ['soon', undefined],
  ])('takes %j for the time of a reset', async (resetsAt, time) => {
    const limit = { type: 'rate_limit_event', rate_limit_info: { status: 'rejected', resetsAt } };
    const { end } = await turn(limit, result({ is_error: true, api_error_status: '429' }));
    expect(end).toMatchObject({ failure: { class: 'quota' } });
    expect(end.outcome === 'failed' ? end.failure.resetsAt : 'completed').toBe(time);
  });
});
