import { repeatable } from '../../program/options.ts';
import { text } from '../../program/value-type.ts';

/** The options for the environment variables of a command. */
export const environmentOptions = [
  repeatable('--env <name>', 'Pass on a variable, as NAME or NAME=VALUE', text),
  repeatable('--env-file <file>', 'Pass on the variables of a file of NAME=VALUE lines', text),
] as const;
