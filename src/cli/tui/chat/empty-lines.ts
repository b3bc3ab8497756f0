import type { Line } from '../parts/line.ts';
import { wrapSpans } from '../parts/wrap-spans.ts';
import { cleanText } from '../parts/line.ts';

const commands = [
  ['/help', 'all commands and keys'],
  ['/resume', 'continue an earlier conversation'],
  ['@path', 'attach a file'],
  ['!command', 'run a command and attach its output'],
  ['/model', 'choose the model'],
  ['/agentic', 'let it work autonomously'],
] as const;

/** What an empty chat says: what it is, and what to do. */
export function emptyLines(
  {
    folder,
    isWithoutProvider = false,
    agent,
  }: { folder: string; isWithoutProvider?: boolean | undefined; agent?: string | undefined },
  width: number,
): Line[] {
  const room = Math.min(width, 76);
  const title: Line = [{ text: 'svc chat', style: { tone: 'accent', isBold: true } }];
  if (isWithoutProvider && agent === undefined)
    return [
      title,
      [],
      ...wrapSpans([{ text: 'No model provider is configured yet. Exit with /quit, then run:' }], room),
      [],
      [{ text: '  svc providers configure openai', style: { tone: 'code' } }],
      [
        { text: '  svc providers ls --all', style: { tone: 'code' } },
        { text: '   list all providers', style: { tone: 'muted' } },
      ],
    ];
  return [
    title,
    [],
    ...wrapSpans(
      [
        { text: `Write a message and press Enter. ${place(cleanText(folder), agent)} ` },
        { text: 'Calls that need your approval are shown in full before they run.' },
      ],
      room,
    ),
    [],
    ...commandsFor(agent).map(([name, meaning]): Line => [
      { text: name.padEnd(18), style: { tone: 'accent' } },
      { text: meaning, style: { tone: 'muted' } },
    ]),
  ];
}

const place = (folder: string, agent: string | undefined) =>
  agent === undefined
    ? `Tools work in ${folder}.`
    : `${cleanText(agent)} works in ${folder} itself, not in a copy, and keeps its session.`;

/** An agent works autonomously without being told to. */
const commandsFor = (agent: string | undefined) =>
  commands.filter(([name]) => agent === undefined || name !== '/agentic');
