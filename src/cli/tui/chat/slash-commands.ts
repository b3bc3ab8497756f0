import type { Effort } from '../../../contract/run-events.ts';
import { closest } from '../../../contract/closest.ts';

export interface SlashCommand {
  name: string;
  summary: string;
  /** What it takes, as the help says it. */
  takes?: string;
}

/** What begins with a slash, in the order of the help. */
export const slashCommands = [
  { name: 'help', summary: 'show commands and keys' },
  { name: 'new', summary: 'start a new conversation' },
  { name: 'resume', summary: 'continue an earlier conversation' },
  { name: 'model', takes: 'name', summary: 'choose the model' },
  { name: 'provider', takes: 'name', summary: 'choose the provider' },
  { name: 'mode', takes: 'mode', summary: 'choose the security mode' },
  { name: 'agentic', summary: 'turn agentic mode on or off' },
  { name: 'effort', takes: 'effort', summary: 'set the effort of agentic mode' },
  { name: 'budget', takes: 'tokens', summary: 'set the token budget of agentic mode' },
  { name: 'approvals', summary: 'decide all pending approvals' },
  { name: 'compact', takes: 'what to keep', summary: 'sum the conversation up to free its context' },
  { name: 'diff', takes: 'all', summary: 'show what the last turn, or all, changed in files' },
  { name: 'undo', summary: 'restore the files that the last turn changed' },
  { name: 'cost', summary: 'show the tokens and the cost of this conversation' },
  { name: 'copy', summary: 'copy the last answer to the clipboard' },
  { name: 'export', takes: 'file', summary: 'write the conversation as Markdown' },
  { name: 'init', summary: 'let the model write an AGENTS.md' },
  { name: 'clear', summary: 'clear the screen' },
  { name: 'quit', summary: 'exit' },
] as const satisfies SlashCommand[];
export type SlashName = (typeof slashCommands)[number]['name'];

/** Other words for a command, which people know from elsewhere. */
const aliases: Record<string, SlashName> = { conversations: 'resume', sessions: 'resume', exit: 'quit' };

/** How many steps an effort stands for. */
export const effortMeanings: Record<Effort, string> = {
  low: 'a few steps',
  medium: 'up to 20 steps',
  high: 'up to 50 steps',
  max: 'up to 200 steps',
};

/** The commands that what was typed may become, the one that it is first; none once it has an argument. */
export function completionsOf(text: string): readonly SlashCommand[] {
  if (!/^\/\w*$/.test(text)) return [];
  const word = text.slice(1);
  return slashCommands
    .filter(({ name }) => name.startsWith(word))
    .toSorted((a, b) => Number(b.name === word) - Number(a.name === word));
}

/** A command and its argument; undefined for what is no command at all. */
export function parseSlash(
  text: string,
): { name: SlashName; argument: string } | { unknown: string; meant: string | undefined } | undefined {
  const match = /^\/(\w+)(?:\s+(.*))?$/s.exec(text.trim());
  if (!match) return undefined;
  const [, word = '', argument = ''] = match;
  const names = slashCommands.map(({ name }) => name);
  const starting = names.filter((name) => name.startsWith(word));
  const name =
    names.find((each) => each === word) ?? aliases[word] ?? (starting.length === 1 ? starting[0] : undefined);
  return name ? { name, argument: argument.trim() } : { unknown: word, meant: closest(word, names) };
}
