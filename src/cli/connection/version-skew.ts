import { isNewerVersion } from '../../contract/is-newer-version.ts';
import type { Locations } from '../../contract/locations.ts';
import { escapeLine } from '../output/escape-text.ts';
import type { Cli } from '../program/cli.ts';
import { readVersion } from '../program/version.ts';
import type { Connection } from './connection.ts';
import { readContexts } from './contexts-file.ts';
import { originOf, type Target } from './target.ts';

const DAY_MS = 86_400_000;

/** What differs between this svc and the daemon, and what to do about it; undefined where nothing does. */
export function describeSkew(
  version: string,
  { url, isLocal }: Pick<Target, 'url' | 'isLocal'>,
): { message: string; next: string } | undefined {
  const own = readVersion();
  if (version === own) return undefined;
  const message = `The daemon at ${url} is svc ${version}, this command is ${own}`;
  if (isNewerVersion(version, own)) return { message, next: 'Upgrade this one: svc upgrade' };
  return { message, next: isLocal ? 'Restart it: svc daemon restart' : 'Upgrade it there: svc upgrade' };
}

/**
 * Notes on a terminal that the daemon which answered is of another version, once a day for each daemon. It takes no
 * request: every answer to a signed-in client carries the version.
 */
export async function noteSkew(cli: Cli, connection: Connection | undefined): Promise<void> {
  const { output, locations, platform } = cli;
  if (connection?.daemonVersion === undefined || !output.isErrorTerminal || platform.env['CI']) return;
  const skew = describeSkew(connection.daemonVersion, connection.target);
  if (!skew || !(await isNewToday(locations, originOf(connection.target.url)))) return;
  output.note(`${output.paintError('yellow', '!')} ${escapeLine(skew.message)}. ${skew.next}`);
}

async function isNewToday(locations: Locations, origin: string): Promise<boolean> {
  const now = Date.now();
  const last = readContexts(locations).skewNotices?.[origin] ?? 0;
  if (now - last < DAY_MS && now >= last) return false;
  const { changeContexts } = await import('./context-store.ts');
  try {
    changeContexts(locations, ({ skewNotices = {}, ...others }) => ({
      ...others,
      skewNotices: { ...skewNotices, [origin]: now },
    }));
  } catch {
    // A notice that cannot be remembered is shown again; the command itself has done its work.
  }
  return true;
}
