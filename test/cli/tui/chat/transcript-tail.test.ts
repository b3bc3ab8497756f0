import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { beginChat, reduceChat } from '../../../../src/cli/tui/chat/chat-state.ts';
import { costText } from '../../../../src/cli/tui/chat/cost-text.ts';
import { copySequence } from '../../../../src/cli/tui/chat/copy-text.ts';
import { placeText, statusLine } from '../../../../src/cli/tui/chat/status-lines.ts';
import { tailOf } from '../../../../src/cli/tui/chat/transcript-tail.ts';
import { lineText, lineWidth } from '../../../../src/cli/tui/parts/line.ts';
import { colouredTheme, plainTheme } from '../../../../src/cli/tui/parts/theme.tsx';
import { messageOf } from '../scripted-daemon.ts';

const withAnswer = (text: string) =>
  reduceChat(beginChat({ isAgentic: false }), [
    {
      kind: 'opened',
      conversation: undefined,
      entries: [
        { kind: 'person', key: '0', text: 'Hi' },
        { kind: 'text', key: '1', text, isComplete: true },
      ],
      approvals: [],
    },
  ]);

describe('what stays in the terminal after the chat', () => {
  it('prints a line of code whole, however narrow the screen was', async () => {
    const code = `const x = '${'0123456789'.repeat(6)}';`;
    const tail = await tailOf(withAnswer(`Look:\n\n\`\`\`ts\n${code}\n\`\`\``), {
      width: 40,
      height: 50,
      theme: colouredTheme,
    });
    expect(stripVTControlCharacters(tail)).toBe(`› Hi\n\nLook:\n\nts\n  ${code}\n\n`);
    expect(tail).toContain('\u001b[35mconst \u001b[39m');
  });

  it('prints the end of a long answer, and no colours with the plain theme', async () => {
    const tail = await tailOf(withAnswer(Array.from({ length: 90 }, (_, at) => `${at}\n\n`).join('')), {
      width: 40,
      height: 5,
      theme: plainTheme,
    });
    expect(tail).toBe('87\n\n88\n\n89\n\n');
  });

  it('prints nothing of an empty chat', async () => {
    const size = { width: 40, height: 5, theme: plainTheme };
    expect(await tailOf(beginChat({ isAgentic: false }), size)).toBe('');
  });
});

describe('the place in the status line', () => {
  const place = { folder: '/home/ada/work/a-long-name/src', home: '/home/ada', branch: 'main' };
  it.each([
    [60, '~/work/a-long-name/src (main)'],
    [24, '…/a-long-name/src (main)'],
    [20, '…/src (main)'],
    [12, '…/src'],
    [4, 'src'],
  ])('fits %i columns', (width, expected) => {
    expect(placeText(place, width)).toBe(expected);
  });

  it('shortens only the home directory itself', () => {
    expect(placeText({ folder: '/home/adam', home: '/home/ada', branch: undefined }, 40)).toBe('/home/adam');
    expect(placeText({ folder: '/home/ada', home: '/home/ada', branch: undefined }, 40)).toBe('~');
  });

  it('shows what the daemon reports of the conversation, at every width', () => {
    const conversation = {
      id: 'conv_1',
      title: 'x',
      presetId: 'assistant' as const,
      messageCount: 2,
      createdAt: '',
      updatedAt: '',
      usage: { totalTokens: 45_600, costUsd: 0.1234, context: { promptTokens: 1, share: 0.234 } },
    };
    const state = { ...beginChat({ isAgentic: false, mode: 'ask' as const }), conversation };
    expect(lineText(statusLine(state, 0, 80))).toMatch(/ready +23% context · 45\.6k tokens · \$0\.12 · ask$/);
    for (const width of [30, 60, 200]) expect(lineWidth(statusLine(state, 0, width))).toBe(width);
  });
});

describe('costText', () => {
  const answer = (totalTokens?: number) => ({
    ...messageOf('assistant', 'x'),
    ...(totalTokens !== undefined && {
      usage: { promptTokens: totalTokens - 10, completionTokens: 10, totalTokens },
    }),
  });
  it('adds the answers up, and says what is not known', () => {
    expect(costText([answer(1200), answer(100), answer()], undefined)).toBe(
      'Tokens   1,300: 1,280 in, 20 out, 3 answers\n         1 of the answers were not counted by their provider\nCost     unknown',
    );
  });
  it('says which part of the cost is not known, and how to make it known', () => {
    const openai = { provider: 'openai' as const, model: 'my-model' };
    const answers = [
      { ...answer(1200), ...openai },
      { ...answer(5), costUsd: 0.12, ...openai, model: 'gpt-5' },
    ];
    const shown = costText(answers, { totalTokens: 1205, costUsd: 0.12, isCostPartial: true });
    expect(shown).toContain('Cost     $0.12 + unknown\n');
    expect(shown).toContain(`svc config set models.prices '{"openai/my-model": {"input": 1, "output": 2}}'`);
    expect(shown).not.toContain('openai/gpt-5');
  });
  it('takes the cost and the context from the daemon', () => {
    const usage = {
      totalTokens: 5,
      promptTokens: 3,
      completionTokens: 2,
      costUsd: 0.0123,
      context: { promptTokens: 3, share: 0.5 },
    };
    expect(costText([answer(5)], usage)).toBe(
      "Tokens   5: 3 in, 2 out, 1 answer\nCost     $0.0123\nContext  50% of the model's window",
    );
  });
});

describe('copySequence', () => {
  it('is OSC 52, wrapped for GNU Screen, and none for what terminals refuse', () => {
    expect(copySequence('hé', { TERM: 'xterm' })).toBe('\u001b]52;c;aMOp\u0007');
    expect(copySequence('h', { TERM: 'screen' })).toBe('\u001bP\u001b]52;c;aA==\u0007\u001b\\');
    expect(copySequence('x'.repeat(80_000), {})).toBeUndefined();
  });
});
