import { describe, expect, it } from 'vitest';
import {
  isLongerThanScreen,
  parseDecision,
  questionAbout,
} from '../../../../src/cli/commands/approvals/decision-words.ts';

const terminal = (rows: number) => ({ errorStream: { rows } as NodeJS.WriteStream });

describe('a question about a call', () => {
  it('takes single letters where the call fits on the screen', () => {
    expect(isLongerThanScreen(22, terminal(24))).toBe(false);
    const { text, answers } = questionAbout({ toolName: 'run\u034f' }, { rows: 22, isLong: false });
    expect(text).toContain(String.raw`Allow run\u{34f}?`);
    expect(answers).toMatchObject({
      y: { decision: 'allow-once' },
      a: { decision: 'allow-always' },
      t: { decision: 'allow-always', covers: 'tool' },
      n: { decision: 'deny' },
    });
  });

  it('takes only typed words where its beginning has scrolled away', () => {
    expect(isLongerThanScreen(23, terminal(24))).toBe(true);
    const { text, answers } = questionAbout({ toolName: 'run_command' }, { rows: 404, isLong: true });
    expect(text).toContain('404 rows');
    expect(Object.keys(answers)).toEqual([
      'allow once',
      'allow always',
      'allow tool',
      'e',
      'edit',
      'n',
      'no',
    ]);
  });

  it('takes a reason behind no, as it was typed', () => {
    const { answers } = questionAbout({ toolName: 'run_command' }, { rows: 3, isLong: false });
    expect(parseDecision(' No  It is generated: change the Template ', answers)).toEqual({
      decision: 'deny',
      denialReason: 'It is generated: change the Template',
    });
    expect(parseDecision('N', answers)).toEqual({ decision: 'deny' });
    for (const other of ['nope', 'not now', 'yes please', 'because'])
      expect(parseDecision(other, answers)).toBeUndefined();
  });

  it('takes only yes and no where untrusted work is published', () => {
    const asked = { toolName: 'push_changes' };
    const { text, answers } = questionAbout(asked, { rows: 3, isLong: false });
    expect(text).toBe('Allow push_changes? [y]es / [n]o, or no and why ');
    expect(Object.keys(answers)).toEqual(['y', 'yes', 'n', 'no']);
    expect(parseDecision('no it sends mail', answers)).toEqual({
      decision: 'deny',
      denialReason: 'it sends mail',
    });
    expect(Object.keys(questionAbout(asked, { rows: 404, isLong: true }).answers)).toEqual([
      'allow once',
      'n',
      'no',
    ]);
  });

  it('knows no screen where there is no terminal', () => {
    expect(isLongerThanScreen(404, terminal(0))).toBe(false);
  });
});
