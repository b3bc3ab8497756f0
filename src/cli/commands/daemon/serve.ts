import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

interface ListenOptions {
  host?: string;
  port?: number;
}

/** Serves in this process until a signal ends it. */
export async function serve({ host, port }: ListenOptions): Promise<number> {
  // Loading makes garbage once; a young generation that grew for it would stay large in an idle daemon (12 MiB).
  const { setFlagsFromString } = await import('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
  const { runDaemon } = await import('../../../daemon/start.ts');
  try {
    return await runDaemon(
      {
        ...(host !== undefined && { 'server.host': host }),
        ...(port !== undefined && { 'server.port': port }),
      },
      () => setFlagsFromString('--semi-space-growth-factor=2'),
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'configuration')
      throw new CliError(exitCodes.configuration, error.message, { cause: error });
    if (error instanceof Error && 'code' in error && error.code === 'unavailable')
      throw new CliError(exitCodes.failed, error.message, { next: 'See: svc daemon status', cause: error });
    throw error;
  }
}
