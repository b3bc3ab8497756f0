import { ApiError } from '../../../contract/client.ts';
import type { ClusterReport } from '../../../contract/cluster.ts';
import type { HealthLevel, HealthReport } from '../../../contract/health.ts';
import type { Cli } from '../../program/cli.ts';
import { formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

interface Options {
  detailed?: boolean;
  json?: boolean;
}
const colours = { healthy: 'green', degraded: 'yellow', unhealthy: 'red' } as const satisfies Record<
  HealthLevel,
  string
>;

/** `svc health`. */
export async function showHealth(cli: Cli, { detailed, json }: Options): Promise<void> {
  const { output } = cli;
  const report = await readHealth(cli);
  if (report.status === 'unhealthy') cli.exitCode = exitCodes.failed;
  if (json) return output.json(report);
  const paint = (level: HealthLevel) => output.paint(colours[level], level);
  output.write(
    `${paint(report.status)}  svc ${report.version}, up ${formatDuration(report.uptime * 1000)}\n`,
  );
  if (!detailed && report.status === 'healthy') return;
  const { queue, adapters, circuitBreakers, deadLetterQueue, storage, redis, backups, commandSandbox } =
    report.components;
  const parts = {
    queue,
    agents: adapters,
    'circuit breakers': circuitBreakers,
    'dead letters': deadLetterQueue,
    storage,
    ...(redis && { redis }),
    // An earlier daemon does not report them.
    ...(backups && { backups }),
    tools: commandSandbox,
  };
  for (const [name, { status, message }] of Object.entries(parts))
    output.write(
      `  ${name.padEnd(17)} ${paint(status)}${' '.repeat(10 - status.length)} ${escapeLine(message)}\n`,
    );
  if (report.cluster) output.write(`  ${'daemons'.padEnd(17)} ${countDaemons(report.cluster)}\n`);
  if (!detailed) return;
  const { memory, cpu, nodeVersion, platform } = report.system;
  output.write(
    `  ${'system'.padEnd(17)} Node.js ${nodeVersion} on ${platform}, ${Math.round(memory.used / 2 ** 20)} MiB, load ${cpu.loadAverage.map((load) => load.toFixed(2)).join(' ')}\n`,
  );
}

/** How many daemons are in which state; the list has its own command. */
export function countDaemons({ daemons }: ClusterReport): string {
  const counts = Map.groupBy(daemons, ({ state }) => state);
  const parts = [...counts].map(([state, { length }]) => `${length} ${state}`);
  return `${parts.join(', ')}; see: svc cluster ls`;
}

/** A health check starts no daemon unless --autostart is given. */
async function readHealth(cli: Cli): Promise<HealthReport> {
  try {
    return await cli.connect({ mayStart: cli.options.autostart === true }).client.health.getDetailed();
  } catch (error) {
    const { body } = error instanceof ApiError ? error : {};
    if (typeof body === 'object' && body !== null && 'components' in body) return body as HealthReport;
    throw error;
  }
}
