import { whileWaiting } from '../../output/while-waiting.ts';
import type { Cli } from '../../program/cli.ts';
import { formatSize } from '../../../contract/format-size.ts';
import { longCall } from '../../connection/long-call.ts';
import { untilInterrupted } from '../run/on-interrupt.ts';

interface Options {
  dryRun?: boolean;
  vacuum?: boolean;
  json?: boolean;
}

/** `svc data prune`. */
export async function pruneData(cli: Cli, options: Options): Promise<void> {
  const { output } = cli;
  const { dryRun = false, vacuum = false, json } = options;
  const wait = {
    isShown: !json,
    text: dryRun
      ? 'counting old data'
      : vacuum
        ? 'removing old data and rewriting the database'
        : 'removing old data',
  };
  const stopped = () => ({
    message: dryRun ? 'Stopped.' : 'Stopped waiting; the daemon continues to remove old data.',
    next: 'See: svc data usage',
  });
  const report = await whileWaiting(output, wait, () =>
    untilInterrupted(stopped, (signal) =>
      cli.connect().client.data.prune({ body: { dryRun, vacuum } }, { ...longCall, signal }),
    ),
  );
  if (json) return output.json(report);
  const found = report.removed.filter(({ count }) => count > 0);
  if (found.length > 0)
    output.table(
      [
        { title: dryRun ? 'WOULD REMOVE' : 'REMOVED', value: ({ name }) => name },
        { title: 'COUNT', value: ({ count }) => String(count), align: 'right' },
      ],
      found,
    );
  else output.note('Nothing is past its retention.');
  if (dryRun) return;
  output.note(`The database is ${formatSize(report.freedBytes)} smaller.`);
  if (!report.incrementalVacuum)
    output.note('Unused space stays in the file. Rewrite it once: svc data prune --vacuum');
}
