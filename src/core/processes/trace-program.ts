import type { Telemetry } from '../telemetry/telemetry.ts';
import type { Exit } from './start-program.ts';

/** Runs a program within a span; its name is that of the executable, because arguments may hold anything. */
export function traceProgram(
  telemetry: Telemetry | undefined,
  executable: string,
  run: () => Promise<Exit>,
): Promise<Exit> {
  if (!telemetry) return run();
  const attributes = { 'process.executable.name': executable };
  return telemetry.trace(`process ${executable}`, { attributes }, async (span) => {
    const exit = await run();
    if ('error' in exit) span.end('not_started');
    else {
      span.set({
        'process.exit.code': exit.code ?? undefined,
        'svc.process.signal': exit.signal ?? undefined,
      });
      span.end(exit.code === 0 ? undefined : (exit.signal ?? `exit_${exit.code}`));
    }
    return exit;
  });
}
