import { flag, option } from './options.ts';
import { fieldPaths, wholeNumber } from './value-type.ts';

/** The options that mean the same wherever they occur. */
export const json = flag('--json', "Print the daemon's response as JSON");
export const jsonEach = flag('--json', "Print the daemon's responses as JSON");
export const quiet = flag('-q, --quiet', 'Print IDs only');
export const yes = flag('-y, --yes', 'Skip the confirmation prompt');
export const limit = option('--limit <n>', 'Show at most this many (maximum 500)', wholeNumber);
export const offset = option('--offset <n>', 'Skip this many', wholeNumber);
export const fields = option(
  '--fields <names>',
  'Print only these fields as JSON, such as id,error.message',
  fieldPaths,
);
