import { visibleLine } from '../../contract/visible-text.ts';
import type { Platform } from '../../contract/locations.ts';
import type { Cli } from '../program/cli.ts';
import { notifyDesktop } from './notify-desktop.ts';
import { notifyWay } from './notify-ways.ts';

/** Terminals that show the text of OSC 9 as a notification, by TERM_PROGRAM. */
const osc9 = ['iTerm.app', 'WezTerm', 'ghostty', 'WarpTerminal'];
const MAX_TEXT = 200;

/** Work that takes less, in milliseconds, ends before the user has looked away. */
export const LONG_MS = 10_000;

/**
 * Rings the bell of the terminal, and shows a notification of the terminal or the desktop as `SVC_NOTIFY` says. One of
 * the desktop comes only once the person has done nothing for a while, `idleMs` of it already: whether the terminal has
 * the focus is not known. Returns what withdraws a notification that has not come yet.
 */
export function callAttention(
  { output, platform }: Pick<Cli, 'output' | 'platform'>,
  text: string,
  idleMs = LONG_MS,
): () => void {
  const { env } = platform;
  const way = notifyWay(env);
  if (way === 'off' || !output.isLively) return nothing;
  const message = visibleLine(text).slice(0, MAX_TEXT);
  const inTerminal = way === 'auto' || way === 'terminal' ? notification(env, message) : '';
  output.errorStream.write(`${inTerminal}${BELL}`);
  if (way !== 'desktop' && (way !== 'auto' || inTerminal !== '')) return nothing;
  if (idleMs >= LONG_MS) {
    notifyDesktop(platform, message);
    return nothing;
  }
  const timer = setTimeout(notifyDesktop, LONG_MS - idleMs, platform, message).unref();
  return () => clearTimeout(timer);
}

const nothing = () => undefined;
const BELL = '\u0007';

/** Empty for other terminals, which could print it. */
function notification({ TERM_PROGRAM = '', TERM = '' }: Platform['env'], message: string): string {
  if (osc9.includes(TERM_PROGRAM)) return `\u001b]9;svc: ${message}\u001b\\`;
  // A semicolon would end the text.
  if (/^(foot|rxvt)/.test(TERM)) return `\u001b]777;notify;svc;${message.replaceAll(';', ',')}\u001b\\`;
  return '';
}
