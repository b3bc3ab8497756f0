import { ApiError } from '../../../contract/client.ts';
import type { HealthReport } from '../../../contract/health.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { Unreachable } from '../../connection/connection.ts';
import type { Target } from '../../connection/target.ts';
import { describeSkew } from '../../connection/version-skew.ts';
import type { Check } from './check.ts';

/** Checks what the daemon reports about itself; never starts one. */
export async function daemonChecks(cli: Cli): Promise<Check[]> {
  try {
    const connection = cli.connect({ mayStart: false });
    const report = await readReport(connection.client);
    const { agents } = await connection.client.agents.list();
    return [
      checkDaemon(report, connection.target),
      ...checkHealth(report),
      checkAgents(agents),
      checkSandbox(report),
    ];
  } catch (error) {
    if (error instanceof Unreachable)
      return [{ name: 'daemon', status: 'warn', message: error.message, next: error.next ?? '' }];
    if (error instanceof ApiError && error.status === 401)
      return [
        {
          name: 'daemon',
          status: 'warn',
          message: 'The daemon reports its health only to signed-in users',
          next: 'Sign in: svc auth login',
        },
      ];
    if (error instanceof CliError || error instanceof ApiError)
      return [{ name: 'daemon', status: 'fail', message: error.message, next: 'See: svc daemon logs' }];
    throw error;
  }
}

type Client = ReturnType<Cli['connect']>['client'];

async function readReport(client: Client): Promise<HealthReport> {
  try {
    return await client.health.getDetailed();
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return error.body as HealthReport;
    throw error;
  }
}

function checkDaemon({ version }: HealthReport, target: Target): Check {
  const skew = describeSkew(version, target);
  if (!skew) return { name: 'daemon', status: 'ok', message: `svc ${version} at ${target.url}` };
  return { name: 'daemon', status: 'warn', ...skew };
}

function checkHealth({ status, components }: HealthReport): Check[] {
  if (status === 'healthy') return [{ name: 'health', status: 'ok', message: 'All components are healthy' }];
  const hints: Record<string, string> = {
    deadLetterQueue: 'See: svc dlq ls',
    adapters: 'See: svc agents ls',
    circuitBreakers: 'See: svc agents ls',
    queue: 'See: svc queue status',
    storage: 'See: svc data usage',
    backups: 'See: svc daemon logs',
  };
  return Object.entries(components)
    .filter(([, part]) => part.status !== 'healthy')
    .map(([name, part]) => ({
      name: 'health',
      status: part.status === 'unhealthy' ? 'fail' : 'warn',
      message: part.message,
      next: hints[name] ?? 'See: svc health --detailed',
    }));
}

/** Everything works without a sandbox, but more calls need an approval. */
function checkSandbox({ components: { commandSandbox } }: HealthReport): Check {
  const { message, details } = commandSandbox;
  if (details.sandboxed) return { name: 'sandbox', status: 'ok', message };
  return {
    name: 'sandbox',
    status: 'warn',
    message,
    next: 'On Linux: apt install bubblewrap, then svc daemon restart',
  };
}

function checkAgents(
  agents: { type: string; configured: boolean; healthy: boolean; message?: string | undefined }[],
): Check {
  const configured = agents.filter((agent) => agent.configured);
  const ill = configured.filter((agent) => !agent.healthy);
  if (configured.length === 0)
    return { name: 'agents', status: 'warn', message: 'No agent is configured', next: 'See: svc agents ls' };
  if (ill.length > 0)
    return {
      name: 'agents',
      status: ill.length === configured.length ? 'fail' : 'warn',
      message: ill.map(({ type, message = 'unhealthy' }) => `${type}: ${message}`).join('; '),
      next: 'Check again: svc agents test',
    };
  return {
    name: 'agents',
    status: 'ok',
    message: `Configured: ${configured.map(({ type }) => type).join(', ')}`,
  };
}
