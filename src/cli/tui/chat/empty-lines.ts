import type { Line } from '../parts/line.ts';
import { wrapSpans } from '../parts/wrap-spans.ts';
import { cleanText } from '../parts/line.ts';

const commands = [
  ['/help', 'all commands and keys'],
  ['/conversations', 'go on with an earlier one'],
  ['/model', 'choose the model'],
  ['/agentic', 'let it work by itself'],
] as const;

/** What an empty chat says: what it is, and what to do. */
export function emptyLines(
  { folder, isWithoutProvider = false }: { folder: string; isWithoutProvider?: boolean | undefined },
  width: number,
): Line[] {
  const room = Math.min(width, 76);
  const title: Line = [{ text: 'svc chat', style: { tone: 'accent', isBold: true } }];
  if (isWithoutProvider)
    return [
      title,
      [],
      ...wrapSpans(
        [{ text: 'No model provider is set up, so nothing can answer yet. Leave with /quit, then:' }],
        room,
      ),
      [],
      [{ text: '  svc providers configure openai', style: { tone: 'code' } }],
      [
        { text: '  svc providers ls --all', style: { tone: 'code' } },
        { text: '   all there are', style: { tone: 'muted' } },
      ],
    ];
  return [
    title,
    [],
    ...wrapSpans(
      [
        { text: `Write a message and press Enter. Tools work in ${cleanText(folder)}. ` },
        { text: 'What needs your approval is shown to you whole before it runs.' },
      ],
      room,
    ),
    [],
    ...commands.map(([name, meaning]): Line => [
      { text: name.padEnd(18), style: { tone: 'accent' } },
      { text: meaning, style: { tone: 'muted' } },
    ]),
  ];
}
