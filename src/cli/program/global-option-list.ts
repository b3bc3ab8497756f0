import { contextName } from '../completion/suggestions.ts';
import { flag, option, type OptionSpec } from './options.ts';
import { text } from './value-type.ts';

/** The options that every command takes. */
export const globalOptions: readonly OptionSpec[] = [
  option('--url <url>', 'Daemon to connect to', text),
  option('--context <name>', 'Context to use for this command', contextName),
  flag('--autostart', 'Start a local daemon if none responds (or --no-autostart)'),
  { ...flag('--no-autostart', 'Never start a daemon'), isHidden: true },
  flag('--debug', 'Show the cause of an error'),
];
