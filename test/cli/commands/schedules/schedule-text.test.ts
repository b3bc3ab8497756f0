import { describe, expect, it } from 'vitest';
import { scheduleChecks } from '../../../../src/contract/schedule-checks.ts';
import { formatDraft, parseDraft } from '../../../../src/cli/commands/schedules/schedule-text.ts';

const checks = scheduleChecks();
const draft = {
  name: 'Nightly: "all"',
  cron: '0 3 * * *',
  timezone: 'UTC',
  maxFailures: 5,
  title: ' # odd',
  description: 'two\nlines',
  priority: 2,
  labels: ['a', 'b c'],
  maxCostUsd: '0.50',
  model: '42',
  metadata: { a: [1, null] },
  prompt: '# A heading\n---\nname: text\n\n',
};
const fails = (text: string) => {
  try {
    parseDraft(text, checks);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
};

describe('the text of a schedule', () => {
  it('has a line per field, and the prompt as it is', () => {
    const text = formatDraft(draft, { id: 'sched_1', envNames: ['A', 'TOKEN'] });
    expect(text).toContain('\ncron: 0 3 * * *\n');
    expect(text).toContain('\nlabels: ["a","b c"]\n');
    expect(text).toContain('# Variables: A, TOKEN.');
    expect(text.endsWith('\n---\n# A heading\n---\nname: text\n\n')).toBe(true);
  });

  it('is read as what it was written from', () => {
    expect(parseDraft(formatDraft(draft, { id: 'sched_1' }), checks)).toEqual(draft);
  });

  it('has no field whose line was removed or emptied, and takes new ones', () => {
    expect(parseDraft('cron: @daily\nmodel:\n  maxSteps: 7\nverify: ["npm test"]\n---\n', checks)).toEqual({
      cron: '@daily',
      maxSteps: 7,
      verify: ['npm test'],
    });
  });

  it.each([
    ['modle: x', 'There is no field "modle". Did you mean model?'],
    ['toString: x', /^There is no field "toString"\. Fields: assignedAgent, /],
    ['priority: 9', /^priority: /],
    ['labels: a, b', /^labels: /],
    ['nightly', '"nightly" is not a line such as "name: Nightly".'],
  ])('is refused where it is wrong: %s', (text, message) => {
    expect(fails(text)).toEqual(
      typeof message === 'string' ? message : (expect.stringMatching(message) as unknown),
    );
  });
});
