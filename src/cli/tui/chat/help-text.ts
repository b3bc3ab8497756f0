import { slashCommands } from './slash-commands.ts';

const keys = [
  ['Enter', 'send; during an answer, queue'],
  ['Alt+Enter, Ctrl+J, \\ Enter', 'new line'],
  ['Esc', 'interrupt the answer'],
  ['↑ ↓', 'take a queued message back; earlier messages'],
  ['Ctrl+R', 'search earlier messages'],
  ['@path', 'attach a file'],
  ['!command', 'run a command here and attach its output'],
  ['Ctrl+G', 'write the message in $EDITOR'],
  ['PgUp PgDn', 'scroll'],
  ['Ctrl+T', 'show or hide thinking'],
  ['Ctrl+O', 'show or hide what tools did'],
  ['Ctrl+A E K U W Y', 'line start, line end, cut after, cut before, cut word, paste'],
  ['Ctrl+Z', 'suspend; fg returns'],
  ['Ctrl+C twice', 'exit'],
] as const;

const alignRows = (rows: readonly (readonly [string, string])[]) => {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, meaning]) => `${name.padEnd(width)}  ${meaning}`);
};

/** All commands and keys. */
export const helpText: string = [
  'Commands',
  ...alignRows(
    slashCommands.map((command) => [
      `/${command.name}${'takes' in command ? ` [${command.takes}]` : ''}`,
      command.summary,
    ]),
  ),
  '',
  'Keys',
  ...alignRows(keys),
].join('\n');
