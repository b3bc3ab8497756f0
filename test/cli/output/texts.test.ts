import { describe, expect, it } from 'vitest';
import { closest } from '../../../src/contract/closest.ts';
import { parseDuration } from '../../../src/contract/duration.ts';
import { formatAge, formatDuration, formatLeft } from '../../../src/cli/output/duration.ts';
import { escapeLine, escapeText } from '../../../src/cli/output/escape-text.ts';
import { exitCodeOfTask } from '../../../src/cli/commands/tasks/task-outcome.ts';
import { titleOf } from '../../../src/contract/task-title.ts';

describe('parseDuration', () => {
  it.each([
    ['500ms', 500],
    ['30s', 30_000],
    ['5m', 300_000],
    ['1h30m', 5_400_000],
    ['2d', 172_800_000],
    ['45', 45_000],
    ['0.5', 500],
    ['1.5h', 5_400_000],
  ])('parses the duration %s as %i ms', (text, ms) => expect(parseDuration(text)).toBe(ms));
  it.each(['', 'soon', '5 m', '-1s', '1w', 's', '1s!'])('rejects the duration %j', (text) =>
    expect(parseDuration(text)).toBeUndefined(),
  );
});

describe('formatDuration', () => {
  it.each([
    [40, '40 ms'],
    [400, '0.4 s'],
    [12_300, '12 s'],
    [185_000, '3 min 5 s'],
    [3_600_000 * 2 + 600_000, '2 h 10 min'],
    [86_400_000 * 4, '4 d'],
  ])('formats %i ms as "%s"', (ms, text) => expect(formatDuration(ms)).toBe(text));
  it('formats an age', () => {
    const now = Date.parse('2026-01-01T12:00:00Z');
    expect(formatAge('2026-01-01T11:57:00Z', now)).toBe('3 min ago');
    expect(formatAge('2026-01-01T13:00:00Z', now)).toBe('0 s ago');
  });
});

describe('formatLeft', () => {
  it.each([
    [86_400_000 * 30 - 1500, '30 d'],
    [86_400_000 * 2 - 1500, '2 d'],
    [86_400_000 - 1500, '24 h'],
    [3_600_000 - 10, '1 h 0 min'],
    [599_000, '10 min'],
    [59_900, '1 min'],
    [30_000, '30 s'],
    [400, '1.0 s'],
    [0, 'expired'],
  ])('formats %i ms left as "%s"', (left, text) =>
    expect(formatLeft(new Date(left).toISOString(), 0)).toBe(text),
  );
  it('formats a missing expiry as never', () => expect(formatLeft(undefined, 0)).toBe('never'));
});

describe('escapeText', () => {
  it('escapes control and bidi characters and keeps newlines and tabs', () => {
    expect(escapeText('a\u001b[2J\u0007\r\u202eb\n\tc')).toBe(`a${String.raw`\x1b[2J\x07\r\u{202e}b`}\n\tc`);
    expect(escapeLine('a\nb\tc')).toBe(String.raw`a\nb\tc`);
  });
  it('leaves other scripts and emoji unchanged', () => {
    expect(escapeText('Grüße, 日本, שלום, 👩‍💻')).toBe('Grüße, 日本, שלום, 👩‍💻');
  });
});

describe('closest', () => {
  it.each([
    ['comand', 'command'],
    ['tasks', 'tasks'],
    ['stauts', 'status'],
    ['zzz', undefined],
  ])('the closest name to %s is %s', (word, meant) =>
    expect(closest(word, ['command', 'http', 'tasks', 'status'])).toBe(meant),
  );
});

describe('titleOf', () => {
  it('the title of a prompt is its first line, at most 80 characters', () => {
    expect(titleOf('\n Fix it \nplease')).toBe('Fix it');
    expect(titleOf('x'.repeat(81))).toBe(`${'x'.repeat(79)}…`);
  });
});

describe('exitCodeOfTask', () => {
  it.each([
    ['completed', undefined, 0],
    ['failed', 'agent_error', 1],
    ['failed', 'budget', 10],
    ['failed', 'policy_denied', 4],
    ['failed', 'verify_failed', 7],
    ['cancelled', undefined, 3],
    ['queued', undefined, 8],
  ] as const)('a task that is %s %s exits with %i', (status, failure, code) => {
    const error = failure && { class: failure, code: 'x', message: 'x' };
    expect(exitCodeOfTask({ status, ...(error && { error }) })).toBe(code);
  });

  it('a completed task whose calls were refused exits with 9, unless that is accepted', () => {
    const refusedCalls = { count: 1, calls: [] };
    const result = { success: true, output: '', artifacts: [], duration: 1, refusedCalls };
    expect(exitCodeOfTask({ status: 'completed', result })).toBe(9);
    expect(exitCodeOfTask({ status: 'completed', result }, { allowRefusals: true })).toBe(0);
  });
});
