import type { ClusterDaemon } from '../../../contract/cluster.ts';
import { isNewerVersion } from '../../../contract/is-newer-version.ts';
import { formatAge } from '../../output/duration.ts';
import type { Cli } from '../../program/cli.ts';

const colours = { ready: 'green', draining: 'yellow', silent: 'red' } as const;

/** `svc cluster ls`. */
export async function listDaemons(cli: Cli, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const report = await cli.connect().client.cluster.get();
  if (json) return output.json(report);
  const now = Date.now();
  const running = report.daemons.filter(({ state }) => state !== 'silent');
  const newest = running
    .map(({ version }) => version)
    .reduce((one, other) => (isNewerVersion(other, one) ? other : one), '0.0.0');
  const isOlder = (version: string) => isNewerVersion(newest, version);
  output.table<ClusterDaemon>(
    [
      { title: '', value: ({ id }) => (id === report.answeredBy ? '*' : '') },
      { title: 'NAME', value: ({ name }) => name },
      { title: 'ID', value: ({ id }) => id },
      { title: 'ROLE', value: ({ role }) => role },
      {
        title: 'STATE',
        value: stateOf,
        paint: (cell, { state }) => output.paint(colours[state], cell),
      },
      { title: 'RUNNING', value: ({ running, slots }) => `${running} of ${slots}`, align: 'right' },
      {
        title: 'VERSION',
        value: ({ version }) => version,
        paint: (cell, { version }) => (isOlder(version) ? output.paint('yellow', cell) : cell),
      },
      { title: 'LAST SEEN', value: ({ lastSeenAt }) => formatAge(lastSeenAt, now), fromWidth: 100 },
      { title: 'HOST', value: ({ host }) => host, fromWidth: 120 },
      { title: 'LABELS', value: ({ labels }) => labels.join(', '), isElastic: true, fromWidth: 80 },
      { title: 'AGENTS', value: ({ agents }) => agents.join(', '), isElastic: true, fromWidth: 100 },
    ],
    report.daemons,
  );
  const older = running.filter(({ version }) => isOlder(version)).length;
  if (older > 0)
    output.note(
      `${output.paintError('yellow', '!')} ${older} of ${running.length} daemons ${older === 1 ? 'is' : 'are'} older than svc ${newest}. Upgrade one after the other: svc cluster drain <daemon> --stop`,
    );
}

const stateOf = ({ state, drained }: ClusterDaemon): string =>
  state === 'draining' && drained ? 'drained' : state;
