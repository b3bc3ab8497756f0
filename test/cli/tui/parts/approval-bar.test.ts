import { createElement } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import type { Approval, ApprovalDecision } from '../../../../src/contract/approvals.ts';
import { ApprovalBar, approvalRows } from '../../../../src/cli/tui/parts/approval-bar.tsx';
import { keys, Rendered } from '../rendered.ts';
import { approvalOf } from '../scripted-daemon.ts';

const long = Array.from({ length: 30 }, (_, at) => `row ${at}`).join('\n');
const open: Rendered[] = [];
afterEach(() => open.splice(0).forEach((screen) => screen[Symbol.dispose]()));

function show(approval: Approval, { height = 12, waiting = 1, width = 80 } = {}) {
  let time = 0;
  const decisions: ApprovalDecision[] = [];
  const onDecide = (decision: ApprovalDecision) => decisions.push(decision);
  const bar = createElement(ApprovalBar, { approval, waiting, width, height, now: () => time, onDecide });
  const screen = new Rendered(bar, { columns: width, rows: 24 });
  open.push(screen);
  return { screen, decisions, wait: (ms: number) => (time += ms) };
}

describe('ApprovalBar', () => {
  it('shows the full call and how to decide', () => {
    const { screen } = show(approvalOf('one'), { waiting: 3 });
    expect(screen.rows).toEqual([
      `╭ Allow run_command? · high risk · 3 wait ${'─'.repeat(38)}`,
      '│ It runs a program',
      '│ command  rm -rf build',
      '│ in       /home/ada/project',
      '╰ a allow once  A always in this conversation  d deny',
    ]);
  });

  it('shows control and bidi characters, and breaks what is too long without losing any of it', () => {
    const command = `echo \u001b[2K\u202e${'x'.repeat(100)}\r`;
    const { screen } = show(approvalOf('one', { params: { command } }), { width: 40 });
    const text = screen.rows.map((row) => row.slice(11)).join('');
    expect(text).toContain(`echo \\x1b[2K\\u{202e}${'x'.repeat(100)}\\r`);
    for (const row of screen.rows) expect(row.length).toBeLessThanOrEqual(40);
  });

  it('scrolls through what does not fit, and says where it is', async () => {
    const approval = approvalOf('one', { params: { content: long } });
    expect(approvalRows(approval, 80)).toBe(34);
    const { screen } = show(approval);
    expect(screen.rows).toHaveLength(12);
    expect(screen.screen).toContain('↑↓ rows 1–10 of 32');
    screen.type(keys.down);
    await screen.until(/rows 2–11 of 32/);
    for (const key of [keys.pageDown, keys.pageDown, keys.pageDown]) screen.type(key);
    expect(await screen.until(/rows 23–32 of 32/)).toContain('/home/ada/project');
    screen.type(keys.up);
    await screen.until(/rows 22–31 of 32/);
  });

  it.each([
    ['a', 'allow-once'],
    ['A', 'allow-always'],
    ['s', 'allow-always'],
    ['d', 'deny'],
  ])('takes %s as %s', (key, decision) => {
    const { screen, decisions, wait } = show(approvalOf('one'));
    wait(600);
    screen.type('x');
    screen.type(keys.enter);
    expect(decisions).toEqual([]);
    wait(600);
    screen.type(key);
    expect(decisions).toEqual([decision]);
  });

  it('is not answered by who was typing when it came, nor by a paste, nor twice', () => {
    const { screen, decisions, wait } = show(approvalOf('one'));
    for (const letter of 'a day') {
      wait(100);
      screen.type(letter);
    }
    wait(499);
    screen.type('a');
    expect(decisions).toEqual([]);
    wait(500);
    screen.type('aa');
    screen.type(keys.control('a'));
    expect(decisions).toEqual([]);
    screen.type('d');
    screen.type('a');
    expect(decisions).toEqual(['deny']);
  });
});
