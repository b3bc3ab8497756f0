import { ApiError } from '../../../contract/client.ts';
import type { HealthReport } from '../../../contract/health.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { Unreachable } from '../../connection/connection.ts';
import type { Target } from '../../connection/target.ts';
import { describeSkew } from '../../connection/version-skew.ts';
import { agentChecks } from './agent-checks.ts';
import type { Check } from './check.ts';
import { worktreeChecks } from './worktree-checks.ts';
import { providerChecks } from './provider-checks.ts';

/** Checks what the daemon reports about itself; never starts one. */
export async function daemonChecks(cli: Cli, mayFix: boolean): Promise<Check[]> {
  try {
    const connection = cli.connect({ mayStart: false });
    const report = await readReport(connection.client);
    const [{ agents }, providers, worktrees] = await Promise.all([
      connection.client.agents.list(),
      providerChecks(connection.client),
      worktreeChecks(connection.client, mayFix),
    ]);
    return [
      checkDaemon(report, connection.target),
      ...checkHealth(report),
      ...agentChecks(agents),
      ...providers,
      checkSandbox(report),
      ...worktrees,
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
    circuitBreakers: 'See: svc agents ls',
    queue: 'See: svc queue status',
    storage: 'See: svc data usage',
    backups: 'See: svc daemon logs',
  };
  return (
    Object.entries(components)
      // Each agent has a check of its own.
      .flatMap(([name, part]) =>
        part && part.status !== 'healthy' && name !== 'adapters' ? [{ name, part }] : [],
      )
      .map(({ name, part }) => ({
        name: 'health',
        status: part.status === 'unhealthy' ? 'fail' : 'warn',
        message: part.message,
        next: hints[name] ?? 'See: svc health --detailed',
      }))
  );
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
