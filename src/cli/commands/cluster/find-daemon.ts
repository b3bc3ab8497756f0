import type { ClusterDaemon, ClusterReport } from '../../../contract/cluster.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { escapeLine } from '../../output/escape-text.ts';

/** The daemon with this id, this beginning of an id or this name; without a text the one that answered. */
export function findDaemon({ daemons, answeredBy }: ClusterReport, text = answeredBy): ClusterDaemon {
  const exact = daemons.filter(({ id, name }) => id === text || name === text);
  const found = exact.length > 0 ? exact : daemons.filter(({ id }) => id.startsWith(text));
  const [daemon] = found;
  if (daemon && found.length === 1) return daemon;
  const next = 'List the daemons: svc cluster ls';
  throw daemon
    ? new CliError(exitCodes.usage, `${found.length} daemons match ${escapeLine(text)}.`, {
        next: 'Use the ID: svc cluster ls',
      })
    : new CliError(exitCodes.notFound, `No daemon matches ${escapeLine(text)}.`, { next });
}
