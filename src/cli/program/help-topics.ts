import { exitCodeMeanings } from '../errors/exit-codes.ts';
import { notifyMeanings } from '../output/notify-ways.ts';

/** A page of help that belongs to no command. */
export interface HelpTopic {
  name: string;
  summary: string;
  rows: readonly (readonly [term: string, meaning: string])[];
}

/** The topics of `svc help`. */
export const helpTopics: readonly HelpTopic[] = [
  {
    name: 'exit-codes',
    summary: 'Exit codes',
    rows: Object.entries(exitCodeMeanings),
  },
  {
    name: 'environment',
    summary: 'Environment variables that svc reads',
    rows: [
      ['SVC_URL', 'Daemon to connect to, unless --url or --context is given'],
      ['SVC_CONTEXT', 'Context to use, unless --context is given'],
      ['SVC_TOKEN', 'Session or API token; takes precedence over every sign-in'],
      ['SVC_HOME', 'Directory for configuration, data and state, instead of the XDG ones'],
      ['SVC_HOST', 'Address of the local daemon (default: 127.0.0.1)'],
      ['SVC_PORT', 'Port of the local daemon (default: 4310)'],
      ['SVC_NO_AUTOSTART', 'Set to 1 to never start a daemon automatically'],
      ...Object.entries(notifyMeanings).map(([way, meaning]) => [`SVC_NOTIFY=${way}`, meaning] as const),
      ['CI', 'No automatic start of a daemon, no colors, no spinners'],
      ['NO_COLOR', 'No colors'],
      ['TERM', 'No colors and no spinners when set to dumb'],
    ],
  },
  {
    name: 'formats',
    summary: 'Output formats',
    rows: [
      ['(default)', 'Data on stdout; progress, hints and errors on stderr'],
      ['--json', "The daemon's response, unchanged; fields are only ever added"],
      ['--fields a,b.c', 'Only these fields of it; an unknown name lists those there are'],
      ['--jsonl', 'Every event as one line of JSON, while the command runs'],
      ['(errors)', 'One line on stderr; with --json, an object {"error": {code, message, hint, exitCode}}'],
      ['-q, --quiet', 'IDs only, one per line'],
    ],
  },
];

/** The text of a topic. */
export function formatTopic({ summary, rows }: HelpTopic): string {
  const width = Math.max(...rows.map(([term]) => term.length));
  return `${summary}:\n${rows.map(([term, meaning]) => `  ${term.padEnd(width)}  ${meaning}\n`).join('')}`;
}
