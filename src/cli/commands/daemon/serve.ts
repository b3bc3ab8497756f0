import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';

interface ListenOptions {
  host?: string;
  port?: number;
}

/** When clients that waited for the start have been answered. */
const IDLE_AFTER_MS = 2000;

/** Serves in this process until a signal ends it. */
export async function serve({ host, port }: ListenOptions): Promise<number> {
  const { runDaemon } = await import('../../../daemon/start.ts');
  try {
    return await runDaemon(
      {
        ...(host !== undefined && { 'server.host': host }),
        ...(port !== undefined && { 'server.port': port }),
      },
      () => setTimeout(() => void tidyAfterStart(), IDLE_AFTER_MS).unref(),
    );
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'configuration')
      throw new CliError(exitCodes.configuration, error.message, { cause: error });
    if (error instanceof Error && 'code' in error && error.code === 'unavailable')
      throw new CliError(exitCodes.failed, error.message, { next: 'See: svc daemon status', cause: error });
    throw error;
  }
}

async function tidyAfterStart(): Promise<void> {
  await compactHeap();
  const { pruneCompiledCode } = await import('./compiled-code.ts');
  // A cache that cannot be tidied only stays larger.
  await pruneCompiledCode(new Date()).catch(() => undefined);
}

/** Returns what loading needed to the system; an idle daemon would keep it (15 MiB). Takes about 30 ms. */
async function compactHeap(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
