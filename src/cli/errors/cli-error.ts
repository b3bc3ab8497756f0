import type { ExitCode } from './exit-codes.ts';

/** A failure with its exit code; `next` suggests the next command. */
export class CliError extends Error {
  override readonly name = 'CliError';
  readonly exitCode: ExitCode;
  readonly next: string | undefined;
  constructor(exitCode: ExitCode, message: string, options: { next?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = exitCode;
    this.next = options.next;
  }
}
