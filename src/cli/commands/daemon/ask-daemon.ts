import { ApiError } from '../../../contract/client.ts';
import type { HealthReport } from '../../../contract/health.ts';
import type { Cli } from '../../program/cli.ts';
import { Unreachable } from '../../connection/connection.ts';
import { openConnection } from '../../connection/open-connection.ts';

/**
 * The health that the daemon at `url` reports; `private` if only signed-in users may read it, undefined
 * if none responds. Never starts a daemon.
 */
export async function askDaemon(cli: Cli, url: string): Promise<HealthReport | 'private' | undefined> {
  const { client } = openConnection(cli, {
    mayStart: false,
    target: { url, isLocal: true, isNamed: false },
  });
  try {
    return await client.health.getDetailed({}, { signal: AbortSignal.timeout(5000) });
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    if (error instanceof ApiError && error.status === 401) return 'private';
    if (error instanceof ApiError && error.status === 503) return error.body as HealthReport;
    if (error instanceof Error && error.name === 'TimeoutError') return undefined;
    throw error;
  }
}
