import type { Command } from 'commander';

/** The deepest command that the words name, such as `svc tokens create`; errors point to its help. */
export function reachedCommand(program: Command, words: string[]): string {
  const path = [program];
  let isValue = false;
  for (const word of words) {
    const command = path.at(-1) ?? program;
    if (isValue) isValue = false;
    else if (word === '--') break;
    else if (word.startsWith('-'))
      isValue = path.some(({ options }) =>
        options.some((option) => option.required && [option.short, option.long].includes(word)),
      );
    else {
      const next = command.commands.find((each) => each.name() === word);
      if (!next) break;
      path.push(next);
    }
  }
  return path.map((command) => command.name()).join(' ');
}
