import type { ClusterDaemon } from '../../../contract/cluster.ts';
import { formatAge } from '../../output/duration.ts';
import type { Cli } from '../../program/cli.ts';

const colours = { ready: 'green', draining: 'yellow', silent: 'red' } as const;

/** `svc cluster ls`. */
export async function listDaemons(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const report = await cli.connect().client.cluster.get();
  if (json) return output.json(report);
  const now = Date.now();
  output.table<ClusterDaemon>(
    [
      { title: '', value: ({ id }) => (id === report.answeredBy ? '*' : '') },
      { title: 'HOST', value: ({ host }) => host },
      { title: 'ID', value: ({ id }) => id },
      { title: 'ROLE', value: ({ role }) => role },
      {
        title: 'STATE',
        value: stateOf,
        paint: (cell, { state }) => output.paint(colours[state], cell),
      },
      { title: 'RUNNING', value: ({ running, slots }) => `${running} of ${slots}`, align: 'right' },
      { title: 'VERSION', value: ({ version }) => version },
      { title: 'LAST SEEN', value: ({ lastSeenAt }) => formatAge(lastSeenAt, now), fromWidth: 100 },
      { title: 'LABELS', value: ({ labels }) => labels.join(', '), isElastic: true, fromWidth: 80 },
      { title: 'AGENTS', value: ({ agents }) => agents.join(', '), isElastic: true, fromWidth: 100 },
    ],
    report.daemons,
  );
}

const stateOf = ({ state, drained }: ClusterDaemon): string =>
  state === 'draining' && drained ? 'drained' : state;
