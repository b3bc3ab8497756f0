import { Box, type Key, useInput } from 'ink';
import { escapeLine } from '../../output/escape-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import { splitKeys } from '../editor/key-action.ts';
import type { Line } from '../parts/line.ts';
import { LinesView } from '../parts/line-view.tsx';
import { useLatestState } from '../parts/use-latest-state.ts';

export interface Choice {
  value: string;
  /** What is shown for it, unless that is the value itself. */
  label?: string;
  /** What it means, in a few words. */
  text: string;
}

/** How many rows a list of choices takes at most. */
const MOST_ROWS = 10;

interface Props {
  title: string;
  choices: readonly Choice[];
  width: number;
  onPick: (value: string) => void;
  onClose: () => void;
}

/** How many rows the picker of so many choices has. */
export const pickerRows = (choices: number): number => Math.min(MOST_ROWS, Math.max(1, choices)) + 2;

/** A list to choose from; what is typed narrows it down. */
export function Picker({ title, choices, width, onPick, onClose }: Props) {
  const [shown, change, latest] = useLatestState({ filter: '', at: 0 });
  const find = ({ filter, at }: { filter: string; at: number }) => {
    const found = choices.filter(({ value, label = value, text }) =>
      `${label} ${text}`.toLowerCase().includes(filter.toLowerCase()),
    );
    return { found, chosen: Math.max(0, Math.min(at, found.length - 1)) };
  };
  const press = (input: string, key: Key) => {
    const { found, chosen } = find(latest());
    if (key.escape) return onClose();
    if (key.upArrow) return change(({ filter }) => ({ filter, at: Math.max(0, chosen - 1) }));
    if (key.downArrow) return change(({ filter }) => ({ filter, at: chosen + 1 }));
    if (key.backspace) return change(({ filter }) => ({ filter: filter.slice(0, -1), at: 0 }));
    const choice = found[chosen];
    if (key.return) return choice ? onPick(choice.value) : undefined;
    if (key.ctrl || key.meta || key.tab || input === '') return;
    change(({ filter }) => ({ filter: filter + input, at: 0 }));
  };
  useInput((input, key) => splitKeys(input, key).forEach((each) => press(...each)));
  const rows = pickerRows(choices.length) - 2;
  const { found, chosen } = find(shown);
  const listed = choiceLines(found, { chosen, rows, width });
  const lines: Line[] = [
    [
      { text: title, style: { isBold: true } },
      { text: `  ${escapeLine(shown.filter)}`, style: { tone: 'accent' } },
    ],
    ...listed,
    ...Array.from({ length: rows - listed.length }, (): Line => []),
    [{ text: '↑↓ choose · Enter to select · type to search · Esc to close', style: { tone: 'muted' } }],
  ];
  return (
    <Box flexDirection="column" flexShrink={0} height={pickerRows(choices.length)}>
      <LinesView lines={lines} />
    </Box>
  );
}

/** Choices below each other, those around the chosen one where there are more than fit. */
export function choiceLines(
  choices: readonly Choice[],
  { chosen, rows, width }: { chosen: number; rows: number; width: number },
): Line[] {
  if (choices.length === 0) return [[{ text: '  no matches', style: { tone: 'muted' } }]];
  const top = Math.max(0, Math.min(chosen - Math.floor(rows / 2), choices.length - rows));
  // Where nothing stands beside them, the names have all of the width.
  const most = choices.every(({ text }) => text === '') ? width - 4 : Math.floor(width / 2);
  const valueWidth = Math.min(
    most,
    Math.max(...choices.map(({ value, label = value }) => textWidth(escapeLine(label)))),
  );
  return choices.slice(top, top + rows).map(({ value, label = value, text }, index): Line => {
    const isChosen = top + index === chosen;
    const name = fitText(escapeLine(label), valueWidth);
    return [
      { text: isChosen ? '› ' : '  ', style: { tone: 'accent' } },
      { text: name, style: isChosen ? { tone: 'accent', isBold: true } : {} },
      {
        text: `${' '.repeat(valueWidth - textWidth(name))}  ${fitText(escapeLine(text), width - valueWidth - 4)}`,
        style: { tone: 'muted' },
      },
    ];
  });
}
