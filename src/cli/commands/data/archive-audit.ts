import { whileWaiting } from '../../output/while-waiting.ts';
import type { Cli } from '../../program/cli.ts';
import { longCall } from '../../connection/long-call.ts';
import { untilInterrupted } from '../run/on-interrupt.ts';

/** `svc data archive`: the path of the file alone on stdout. */
export async function archiveAudit(
  cli: Cli,
  { before, json }: { before?: string; json?: boolean },
): Promise<void> {
  const { output } = cli;
  const wait = { isShown: !json, text: 'archiving audit entries' };
  const stopped = () => ({
    message: 'Stopped waiting; the daemon continues to archive audit entries.',
    next: 'See: svc data usage --json',
  });
  const body = { ...(before !== undefined && { before }) };
  const answer = await whileWaiting(output, wait, () =>
    untilInterrupted(stopped, (signal) =>
      cli.connect().client.data.archive({ body }, { ...longCall, signal }),
    ),
  );
  if (json) return output.json(answer);
  const { archive } = answer;
  if (!archive) return output.note('No audit entry is that old.');
  output.text(`${archive.file}\n`);
  output.note(
    `${archive.entries} entries archived. Keep the file: svc audit verify reads it, and it is the only copy.`,
  );
}
