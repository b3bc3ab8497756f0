import { escapeLine } from '../../output/escape-text.ts';
import { fitText, textWidth } from '../../output/text-width.ts';
import { countLines } from '../../../contract/attachments.ts';
import type { Line } from '../parts/line.ts';
import type { ChatState } from './chat-state.ts';

const MOST_QUEUED = 3;

/** What waits between the transcript and the message: queued messages, and what goes with the next one. */
export function waitingLines(
  { queued, attached, shell }: Pick<ChatState, 'queued' | 'attached' | 'shell'>,
  width: number,
): Line[] {
  const row = (label: string, text: string, hint = ''): Line => {
    const room = width - textWidth(label) - (hint === '' ? 0 : textWidth(hint) + 2);
    const shown = fitText(escapeLine(text.trim()), Math.max(4, room));
    const gap = width - textWidth(label) - textWidth(shown) - textWidth(hint);
    return [
      { text: label, style: { tone: 'accent' } },
      { text: shown, style: { tone: 'muted' } },
      ...(hint === '' || gap < 2
        ? []
        : [{ text: `${' '.repeat(gap)}${hint}`, style: { tone: 'muted' } as const }]),
    ];
  };
  const hidden = Math.max(0, queued.length - MOST_QUEUED);
  return [
    ...(shell === undefined ? [] : [row('running  ', shell, 'Esc stop')]),
    ...attached.map(({ name, text }) => row('attached ', `! ${name}`, countLines(text))),
    ...queued.slice(0, MOST_QUEUED).map((text, at) => row('queued   ', text, at === 0 ? '↑ edit' : '')),
    ...(hidden === 0 ? [] : [row('', `         and ${hidden} more`)]),
  ];
}
