import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTaskSchema } from '../../../../src/contract/task.ts';
import { fitTask } from '../../../../src/core/integrations/inbound/fit-task.ts';
import type { SourceRules } from '../../../../src/core/integrations/inbound/source-rules.ts';
import type { SourceWork } from '../../../../src/core/integrations/inbound/source-work.ts';
import { rulesWith } from '../../../helpers/deliveries.ts';

const rules = rulesWith();
const plain: SourceWork = {
  sourceId: 'octo/hello#7',
  sourceUrl: 'https://github.com/octo/hello/issues/7',
  title: 'It does not start',
  description: 'See the log.',
  labels: ['ai-task'],
  priority: 2,
  repository: 'octo/hello',
  branch: 'main',
  contentKey: 'octo/hello#7',
  target: undefined,
};

const fit = (work: Partial<SourceWork> = {}, change: Partial<SourceRules> = {}, sender?: string) => {
  const given = { ...plain, ...work };
  return fitTask({
    provider: 'github',
    deliveryId: 'delivery-1',
    event: {
      event: 'issues',
      action: 'opened',
      sender,
      sourceId: given.sourceId,
      verdict: { work: given, rules },
    },
    work: given,
    rules: { ...rules, ...change },
  });
};

describe('the task of a delivery', () => {
  it('takes the fields of a task from the delivery', () => {
    expect(fit({}, { agent: 'reviewer' }, 'ann')).toEqual({
      title: 'It does not start',
      description: 'See the log.',
      priority: 2,
      source: 'codehost',
      sourceId: 'octo/hello#7',
      sourceUrl: 'https://github.com/octo/hello/issues/7',
      labels: ['ai-task'],
      repository: 'octo/hello',
      branch: 'main',
      assignedAgent: 'reviewer',
      metadata: {
        inbound: {
          provider: 'codehost',
          deliveryId: 'delivery-1',
          event: 'issues',
          action: 'opened',
          sender: 'ann',
        },
      },
    });
  });

  it('a task always has a title on one line of at most 500 characters', () => {
    expect(fit({ title: ' two\r\n lines\u2028here ' }).title).toBe('two lines here');
    expect(fit({ title: ' \n\0 ' }).title).toBe('octo/hello#7');
    expect(fit({ title: '', sourceId: ' ' }).title).toBe('Untitled');
    expect(fit({ title: 'x'.repeat(500) }).title).toBe('x'.repeat(500));
    expect(fit({ title: 'x'.repeat(501) }).title).toBe(`${'x'.repeat(499)}…`);
    expect(fit({ title: '🦊'.repeat(300) }).title).toBe(`${'🦊'.repeat(249)}…`);
  });

  it('marks a truncated description, and keeps all of it in the prompt after the title', () => {
    const body = 'y'.repeat(20_001);
    const { description = '', prompt } = fit({ description: body });
    expect(description).toHaveLength(20_000);
    expect(description).toMatch(/^y+\n\n\[truncated: the prompt has the full text\]$/);
    expect(prompt).toBe(`It does not start\n\n${body}`);
    expect(fit({ description: 'y'.repeat(20_000) })).not.toHaveProperty('prompt');
  });

  it('puts the request of a comment before a long description', () => {
    const body = 'y'.repeat(20_001);
    expect(fit({ prompt: ' try again\n', description: body }).prompt).toBe(`try again\n\n${body}`);
    expect(fit({ prompt: ' try again\n' }).prompt).toBe('try again');
    expect(fit({ prompt: '  ' })).not.toHaveProperty('prompt');
  });

  it('truncates a prompt over 200,000 characters', () => {
    const { prompt = '' } = fit({ description: 'y'.repeat(300_000) });
    expect(prompt).toHaveLength(200_000);
    expect(prompt).toMatch(/y\n\n\[truncated\]$/);
  });

  it('a task has no description when the delivery has none', () => {
    expect(fit({ description: ' \r\n' })).not.toHaveProperty('description');
  });

  it('limits labels to 50 of 100 characters, without duplicates', () => {
    const labels = ['a', 'a', '', 'l'.repeat(101), ...Array.from({ length: 60 }, (_, at) => `label ${at}`)];
    const fitted = fit({ labels }).labels;
    expect(fitted).toHaveLength(50);
    expect(fitted.slice(0, 3)).toEqual(['a', `${'l'.repeat(99)}…`, 'label 0']);
  });

  it('drops fields that the contract does not allow', () => {
    const odd = fit({
      sourceUrl: 'javascript:alert(1)',
      repository: '../../etc',
      branch: '--upload-pack=sh',
      sourceId: 'x'.repeat(501),
    });
    expect(fit({ branch: 'half\ud800', sourceId: '' })).toMatchObject({
      branch: undefined,
      sourceId: undefined,
    });
    for (const name of ['sourceUrl', 'repository', 'branch', 'sourceId'] as const)
      expect(odd[name]).toBeUndefined();
  });

  it('every delivery becomes a task that is valid for the contract', () => {
    // Halves of pairs and NUL among it.
    const short = fc
      .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 32, max: 126 })), {
        maxLength: 60,
      })
      .map((units) => String.fromCharCode(...units));
    const long = fc
      .tuple(short, fc.integer({ min: 1, max: 10_000 }))
      .map(([part, times]) => part.repeat(times).slice(0, 250_000));
    const text = fc.oneof({ arbitrary: short, weight: 4 }, long);
    fc.assert(
      fc.property(
        fc.record({
          title: text,
          description: text,
          prompt: text,
          labels: fc.array(text, { maxLength: 70 }),
          sourceId: text,
          sourceUrl: fc.oneof(text, fc.webUrl()),
          repository: text,
          branch: text,
        }),
        text,
        (work, sender) => {
          const fitted = fit(work, {}, sender);
          const parsed = createTaskSchema.safeParse(fitted);
          expect(parsed.error).toBeUndefined();
          expect(parsed.data).toEqual(JSON.parse(JSON.stringify(fitted)));
          expect(JSON.stringify(fitted)).not.toMatch(/\\u0000|\\ud[89a-f]/);
        },
      ),
    );
  });
});
