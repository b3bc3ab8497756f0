import type { Command } from 'commander';
import type { Cli } from '../cli.ts';

/** `svc __complete -- WORDS`: what could stand in the place of the last word. */
export function fillComplete(command: Command, cli: Cli): void {
  command
    .argument('[words...]')
    .helpOption(false)
    .action(async (words: string[]) => {
      const { completeWords } = await import('../completion/complete-words.ts');
      const { parent } = command;
      if (parent) await completeWords(cli, parent, words);
    });
}
