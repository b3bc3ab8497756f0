import type { Config } from '../core/config/config.ts';
import type { Log, LogTrace } from '../core/log.ts';
import { consoleLog } from './console-log.ts';

const secrets = ['token', 'key', 'password', 'secret', 'authorization', 'cookie'];

/** Lines for a person on a terminal, else JSON, with the ids of the active span where telemetry is exported. */
export async function createLog(
  config: Pick<Config, 'get'>,
  trace: LogTrace,
  stdout: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stdout,
): Promise<Log> {
  const level = config.get('log.level');
  if (stdout.isTTY) return consoleLog(level, (line) => process.stderr.write(`${line}\n`));
  const { pino } = await import('pino');
  const redact = [...secrets, ...secrets.map((name) => `*.${name}`)];
  const logger = pino({ level, redact, mixin: () => trace.read?.() ?? {} }, stdout);
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
  };
}
