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
    const { text, answers } = questionAbout('run\u034f', { rows: 22, isLong: false });
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
    const { text, answers } = questionAbout('run_command', { rows: 404, isLong: true });
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
    const { answers } = questionAbout('run_command', { rows: 3, isLong: false });
    expect(parseDecision(' No  It is generated: change the Template ', answers)).toEqual({
      decision: 'deny',
      denialReason: 'It is generated: change the Template',
    });
    expect(parseDecision('N', answers)).toEqual({ decision: 'deny' });
    for (const other of ['nope', 'not now', 'yes please', 'because'])
      expect(parseDecision(other, answers)).toBeUndefined();
  });

  it('knows no screen where there is no terminal', () => {
    expect(isLongerThanScreen(404, terminal(0))).toBe(false);
  });
});
