/** Says which span a line of the log belongs to; set while telemetry is exported. */
export interface LogTrace {
  read?: () => Record<'trace_id' | 'span_id', string> | undefined;
}

/** Where the core writes what an operator should know; pino fits. */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export const silentLog: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
