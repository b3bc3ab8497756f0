import type { Cli } from '../../program/cli.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { formatSize } from '../../../contract/format-size.ts';
import { whileWaiting } from '../../output/while-waiting.ts';
import { longCall } from '../../connection/long-call.ts';

/** Tables shown; the others are small. */
const TABLES = 8;

/** `svc data usage`. */
export async function showUsage(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const wait = { isShown: !json, text: 'measuring the stored data' };
  const usage = await whileWaiting(output, wait, () => cli.connect().client.data.getUsage({}, longCall));
  if (json) return output.json(usage);
  const { database, disk, tables, directories, retention } = usage;
  output.write(
    `database  ${formatSize(database.bytes)} (${formatSize(database.freeBytes)} unused)  ${escapeLine(database.file)}\n` +
      `disk      ${formatSize(disk.freeBytes)} free of ${formatSize(disk.totalBytes)}\n\n`,
  );
  output.table(
    [
      { title: 'TABLE', value: ({ name }) => name },
      { title: 'ROWS', value: ({ rows }) => String(rows), align: 'right' },
      { title: 'SIZE', value: ({ bytes }) => formatSize(bytes), align: 'right' },
    ],
    tables.slice(0, TABLES),
  );
  if (directories.length > 0) {
    output.write('\n');
    output.table(
      [
        { title: 'FILES', value: ({ name }) => name },
        { title: 'COUNT', value: ({ files }) => String(files), align: 'right' },
        { title: 'SIZE', value: ({ bytes }) => formatSize(bytes), align: 'right' },
        { title: 'DIRECTORY', value: ({ path }) => path, isElastic: true },
      ],
      directories,
    );
  }
  output.write('\n');
  output.table(
    [
      { title: 'KEPT', value: ({ name }) => name },
      { title: 'DAYS', value: ({ days }) => (days === 0 ? 'forever' : String(days)), align: 'right' },
      { title: 'SETTING', value: ({ setting }) => setting },
    ],
    retention,
  );
  if (!database.incrementalVacuum)
    output.note(
      'The database does not return unused space to the disk automatically. Rewrite it once: svc data prune --vacuum',
    );
}
