import { createElement } from 'react';
import { afterEach, describe, expect, it } from 'vitest';
import type { Approval, DecideApproval } from '../../../../src/contract/approvals.ts';
import { ApprovalBar, approvalRows } from '../../../../src/cli/tui/parts/approval-bar.tsx';
import { createTyping } from '../../../../src/cli/tui/parts/use-typing.ts';
import { keys, Rendered } from '../rendered.ts';
import { approvalOf } from '../scripted-daemon.ts';

const long = Array.from({ length: 30 }, (_, at) => `row ${at}`).join('\n');
const open: Rendered[] = [];
afterEach(() => open.splice(0).forEach((screen) => screen[Symbol.dispose]()));

function show(
  approval: Approval,
  { height = 12, waiting = 1, width = 80, ...more }: Partial<Parameters<typeof ApprovalBar>[0]> = {},
) {
  let time = 0;
  const decisions: string[] = [];
  const reasons: (string | undefined)[] = [];
  const typing = createTyping();
  const onDecide = ({ decision, denialReason }: DecideApproval) => {
    decisions.push(decision);
    reasons.push(denialReason);
  };
  const parts = { approval, waiting, width, height, now: () => time, onDecide, typing, ...more };
  const bar = createElement(ApprovalBar, parts);
  const screen = new Rendered(bar, { columns: width, rows: 24 });
  open.push(screen);
  return { screen, decisions, reasons, typing, wait: (ms: number) => (time += ms) };
}

describe('ApprovalBar', () => {
  it('shows the full call and the keys that decide it', () => {
    const { screen } = show(approvalOf('one'), { waiting: 3 });
    expect(screen.rows).toEqual([
      `╭ Allow run_command? · high risk · 3 wait ${'─'.repeat(38)}`,
      '│ It runs a program',
      '│ "command"  rm -rf build',
      '│ in         /home/ada/project',
      '╰ a allow once  A always in this conversation  T the whole tool  d deny',
    ]);
  });

  it('has no line for a directory that there is not', () => {
    const { screen } = show(approvalOf('one', { cwd: '' }));
    expect(screen.rows).toHaveLength(4);
    expect(screen.rows).toContain('│ "command"  rm -rf build');
    expect(show(approvalOf('two', { cwd: '', params: {} })).screen.rows).toHaveLength(3);
  });

  it('names the task where the call is one of a task', () => {
    const { conversationId: _, ...approval } = approvalOf('one', { taskId: 'task_1' });
    expect(show(approval).screen.rows.at(-1)).toContain('A always in this task');
  });

  it('escapes control and bidi characters, and wraps long values without losing any of them', () => {
    const command = `echo \u001b[2K\u202e${'x'.repeat(100)}\r`;
    const { screen } = show(approvalOf('one', { params: { command } }), { width: 40 });
    const text = screen.rows.map((row) => row.slice(13)).join('');
    expect(text).toContain(`echo \\x1b[2K\\u{202e}${'x'.repeat(100)}\\x0d`);
    for (const row of screen.rows) expect(row.length).toBeLessThanOrEqual(40);
  });

  it('scrolls through a long call and shows the position', async () => {
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
    ['\u034f', '\\u{34f}'],
    ['\u17b4', '\\u{17b4}'],
    ['\ufe0f', '\\u{fe0f}'],
    ['\u3164', '\\u{3164}'],
    ['\u00a0', '\\xa0'],
  ])('shows %j in arguments, their names, the reason, the directory and the tool', (hidden, shown) => {
    const { screen } = show(
      approvalOf('one', {
        toolName: `t${hidden}ool`,
        params: { [`n${hidden}ame`]: `v${hidden}alue`, deep: { [`k${hidden}ey`]: 1 } },
        reason: `r${hidden}eason`,
        cwd: `/c${hidden}wd`,
      }),
      { height: 20 },
    );
    expect(screen.screen).not.toContain(hidden);
    for (const [first, rest] of ['t ool', 'n ame', 'v alue', 'k ey', 'r eason', '/c wd'].map((word) =>
      word.split(' '),
    ))
      expect(screen.screen).toContain(`${first}${shown}${rest}`);
  });

  it('has rows that no argument can imitate', () => {
    const { screen } = show(
      approvalOf('one', {
        params: {
          in: '/safe',
          'in   /safe\nin': 'x\nin  /safe',
          '"command"  ls': 'y',
          command: 'rm -rf src',
        },
        reason: `It runs ${'a'.repeat(60)} in  /safe`,
      }),
      { height: 20 },
    );
    const own = screen.rows.filter((row) => /^│ [^" ]/.test(row));
    expect(own).toEqual([
      expect.stringMatching(/^│ It runs/),
      expect.stringMatching(/^│ in {5,}\/home\/ada/),
    ]);
    expect(screen.rows.filter((row) => row.startsWith('│ "command" '))).toHaveLength(1);
  });

  it('names the scripts, and what always covers', () => {
    const sha256 = 'ab'.repeat(32);
    const scripts = [{ path: '/home/ada/project/build.sh', sha256 }];
    const { screen } = show(approvalOf('one', { scripts, alwaysCovers: 'exactly this command' }), {
      width: 100,
    });
    expect(screen.rows).toEqual(
      expect.arrayContaining([
        '│ script     /home/ada/project/build.sh',
        `│            sha256:${sha256}`,
        '│ always     exactly this command',
      ]),
    );
  });

  it.each([
    ['a', 'allow-once'],
    ['A', 'allow-always'],
    ['T', 'allow-always'],
  ])('takes %s only once the end of a longer call was on the screen for a moment', async (key, decision) => {
    const { screen, decisions, wait } = show(approvalOf('one', { params: { content: long } }));
    expect(screen.screen).toContain('read to the end to allow it');
    wait(600);
    screen.type(key);
    screen.type(keys.pageDown);
    await screen.until(/rows 11–20 of 32/);
    wait(600);
    screen.type(key);
    for (const each of [keys.pageDown, keys.pageDown]) screen.type(each);
    await screen.until(/rows 23–32 of 32/);
    screen.type(key);
    expect(decisions).toEqual([]);
    wait(600);
    screen.type(key);
    expect(decisions).toEqual([decision]);
  });

  it('can be denied before its end was seen', () => {
    const { screen, decisions, wait } = show(approvalOf('one', { params: { content: long } }));
    wait(600);
    screen.type('d');
    screen.type(keys.enter);
    expect(decisions).toEqual(['deny']);
  });

  it('asks why before it denies, and takes the answer with it', async () => {
    const { screen, decisions, reasons, typing, wait } = show(approvalOf('one'));
    wait(600);
    screen.type('d');
    await screen.until(/╰ › Why\? \(optional\) {2}Enter denies, Esc goes back/);
    expect(typing.isOn()).toBe(true);
    screen.type('a better way');
    expect(await screen.until(/╰ › a better way/)).not.toContain('allow once');
    expect(decisions).toEqual([]);
    screen.type(keys.enter);
    expect({ decisions, reasons }).toEqual({ decisions: ['deny'], reasons: ['a better way'] });
  });

  it('goes back from the reason to the question', async () => {
    const { screen, decisions, typing, wait } = show(approvalOf('one'));
    wait(600);
    screen.type('d');
    await screen.until(/Why/);
    screen.type(keys.escape);
    await screen.until(/a allow once/);
    expect(typing.isOn()).toBe(false);
    screen.type('a');
    expect(decisions).toEqual(['allow-once']);
  });

  it('offers to edit where that is possible, and only one permission for what was edited', async () => {
    let edits = 0;
    const { screen, decisions, wait } = show(approvalOf('one'), { onEdit: () => edits++, isEdited: true });
    expect(screen.rows[0]).toMatch(/^╭ Allow run_command\? · high risk · with your changes ─/);
    expect(screen.rows.at(-1)).toBe('╰ a allow once  e edit again  d deny');
    screen.type('e');
    wait(600);
    for (const key of ['A', 'T', 's']) screen.type(key);
    expect(edits).toBe(0);
    screen.type('e');
    screen.type('a');
    expect({ edits, decisions }).toEqual({ edits: 1, decisions: ['allow-once'] });
  });

  it('shows the change of a file with its line numbers instead of its texts', () => {
    const diff = { path: 'a.ts', added: 1, removed: 1, text: '@@ -9,1 +9,1 @@\n-old\n+new\n' };
    const params = { path: 'a.ts', oldText: 'old', newText: 'new' };
    const { screen } = show(approvalOf('one', { toolName: 'edit_file', params, diff }));
    expect(screen.rows.slice(2, 6)).toEqual([
      '│ "path"  a.ts',
      '│ change  +1 −1',
      '│         9 - old',
      '│         9 + new',
    ]);
    const cut = show(
      approvalOf('two', { toolName: 'edit_file', params, diff: { ...diff, truncated: true } }),
    );
    expect(cut.screen.screen).toContain('"newText"  new');
  });

  it.each([
    ['a', 'allow-once'],
    ['A', 'allow-always'],
    ['s', 'allow-always'],
  ])('the key %s sends %s', (key, decision) => {
    const { screen, decisions, wait } = show(approvalOf('one'));
    wait(600);
    screen.type('x');
    screen.type(keys.enter);
    expect(decisions).toEqual([]);
    wait(600);
    screen.type(key);
    expect(decisions).toEqual([decision]);
  });

  it('ignores earlier typing, pastes and repeated keys', () => {
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
    screen.type('A');
    screen.type('a');
    expect(decisions).toEqual(['allow-always']);
  });
});
