import { visibleLine } from '../../contract/visible-text.ts';
import type { Platform } from '../../contract/locations.ts';
import type { Output } from './output.ts';

/** Terminals that show the text of OSC 9 as a notification, by TERM_PROGRAM. */
const osc9 = ['iTerm.app', 'WezTerm', 'ghostty', 'WarpTerminal'];
const MAX_TEXT = 200;

/** Work that takes less, in milliseconds, ends before the user has looked away. */
export const LONG_MS = 10_000;

/**
 * Rings the bell of the terminal, and shows a notification where the terminal is known to have them. `SVC_NOTIFY` turns
 * it down: `bell` or `off`.
 */
export function callAttention(output: Output, env: Platform['env'], text: string): void {
  const way = env['SVC_NOTIFY'] ?? 'auto';
  if (way === 'off' || !output.isLively) return;
  const message = visibleLine(text).slice(0, MAX_TEXT);
  output.errorStream.write(way === 'bell' ? BELL : `${notification(env, message)}${BELL}`);
}

const BELL = '\u0007';

/** Empty for other terminals, which could print it. */
function notification({ TERM_PROGRAM = '', TERM = '' }: Platform['env'], message: string): string {
  if (osc9.includes(TERM_PROGRAM)) return `\u001b]9;svc: ${message}\u001b\\`;
  // A semicolon would end the text.
  if (/^(foot|rxvt)/.test(TERM)) return `\u001b]777;notify;svc;${message.replaceAll(';', ',')}\u001b\\`;
  return '';
}
