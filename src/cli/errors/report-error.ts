import { CommanderError } from 'commander';
import { ApiError } from '../../contract/client.ts';
import { CliError } from './cli-error.ts';
import type { Cli } from '../program/cli.ts';
import { escapeLine } from '../output/escape-text.ts';
import { type ExitCode, exitCodes, nameOfExitCode } from './exit-codes.ts';
import { formatFileError } from './file-error.ts';
import { foreignDaemon, signInHint } from './sign-in-hint.ts';

interface Report {
  exitCode: ExitCode;
  message: string;
  next?: string | undefined;
  /** By which the log of the daemon names the request. */
  requestId?: string | undefined;
}

/**
 * Prints a failure on stderr as one line: what, why, and the next command; where the command prints JSON, as a JSON object.
 * Returns the exit code.
 */
export function reportError(error: unknown, cli: Cli, reached = 'svc'): ExitCode {
  if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
  // The help that a command without a verb prints is on stderr already.
  if (error instanceof CommanderError && error.code === 'commander.help') return exitCodes.usage;
  const report = toReport(error, cli, reached);
  const { exitCode } = report;
  const { output } = cli;
  if (cli.isJson) {
    output.note(JSON.stringify({ error: jsonOf(report, cli.options.debug ? chainOf(error) : undefined) }));
    return exitCode;
  }
  output.note(`${output.paintError('red', 'svc:')} ${escapeLine(lineOf(report))}`);
  if (cli.options.debug) output.note(chainOf(error));
  return exitCode;
}

/** A failure as one line for a person: what happened and what to do next. */
export const formatError = (error: unknown, cli: Cli): string => lineOf(toReport(error, cli));

function lineOf({ message, next, requestId }: Report): string {
  const text = requestId === undefined ? message : `${message.replace(/[.]$/, '')} (request ${requestId}).`;
  // A command at the end stays apart from what follows.
  return [text, next].filter(Boolean).join(/[.!?]$/.test(text) ? ' ' : '   ');
}

const jsonOf = ({ exitCode, message, next, requestId }: Report, cause: string | undefined) => ({
  code: nameOfExitCode(exitCode),
  message,
  ...(next !== undefined && { hint: next }),
  ...(requestId !== undefined && { requestId }),
  exitCode,
  ...(cause !== undefined && { cause }),
});

/** A failure as message, next command and exit code. */
function toReport(error: unknown, cli: Cli, reached = 'svc'): Report {
  if (error instanceof CliError)
    return { exitCode: error.exitCode, message: sentence(error.message), next: error.next };
  if (error instanceof ApiError) return apiReport(error, cli);
  if (error instanceof CommanderError) return usageReport(error, reached);
  const unwritable = unwritableReport(error);
  if (unwritable) return unwritable;
  const message = error instanceof Error ? error.message : String(error);
  return { exitCode: exitCodes.failed, message: `${sentence(message)}`, next: 'Details: --debug' };
}

/** A file of svc that the system does not let it use, such as all of a home that is mounted read-only. */
function unwritableReport(error: unknown): Report | undefined {
  if (!(error instanceof Error && 'code' in error && 'path' in error)) return undefined;
  // On a read-only file system a recursive mkdir says ENOENT.
  const isMkdir = error.code === 'ENOENT' && 'syscall' in error && error.syscall === 'mkdir';
  if (!isMkdir && !['EROFS', 'EACCES', 'EPERM'].includes(String(error.code))) return undefined;
  return {
    exitCode: exitCodes.configuration,
    message: sentence(`Cannot use ${String(error.path)}: ${formatFileError(error)}`),
    next: 'Make it writable, or choose another directory: SVC_HOME=/path/to/directory',
  };
}

function apiReport(error: ApiError, cli: Cli): Report {
  const { status, message, details, requestId, mayPass } = error;
  const exitCode = exitCodeOf(error);
  const isSame = details?.length === 1 && details[0]?.message === message;
  const because = isSame
    ? []
    : (details?.map(({ path, message: text }) => (path === '' ? text : `${path}: ${text}`)) ?? []);
  const isVague = details && details.length > 0 && message === 'Validation failed';
  const shown = isVague ? 'Invalid input' : message.replace(/^HTTP 401$/, 'Not signed in');
  const text =
    because.length > 0 && !because.every((part) => shown.includes(part))
      ? `${shown}: ${because.join('; ')}`
      : shown;
  const isForeign = status === 401 ? foreignDaemon(cli) : undefined;
  if (isForeign) return { exitCode, ...isForeign };
  // The daemon may have said when to try again, or which command comes next.
  const saysNext = (status === 429 || status === 503) && /again|: svc [^.:]+$/i.test(text);
  const next = saysNext ? undefined : nextOf(error, cli);
  // What has to be configured is no matter for the log.
  const isLogged = status !== 503 || mayPass;
  return { exitCode, message: sentence(text), next, requestId: isLogged ? requestId : undefined };
}

function exitCodeOf({ status, mayPass, details }: ApiError): ExitCode {
  if (status === 401 || status === 403) return exitCodes.notAllowed;
  if (status === 404) return exitCodes.notFound;
  if (status === 503 && !mayPass) return details ? exitCodes.configuration : exitCodes.failed;
  if (status === 429 || status === 503 || status === 507) return exitCodes.tryLater;
  if (status >= 400 && status < 500) return exitCodes.invalid;
  return exitCodes.failed;
}

function nextOf({ status, mayPass }: ApiError, cli: Cli): string | undefined {
  if (status === 401 || status === 403) return signInHint(cli, status);
  if (status === 503 && !mayPass) return undefined;
  if (status === 429 || status === 503) return 'Try again in a moment.';
  if (status === 507) return 'Free up disk space, then try again: svc doctor';
  if (status >= 500 && status !== 501) return 'See: svc daemon logs';
  return undefined;
}

function usageReport(error: CommanderError, reached: string): Report {
  const [what = '', suggestion] = error.message.replace(/^error: /, '').split('\n');
  const hint = suggestion?.replace(/^\(|\)$/g, '');
  return {
    exitCode: exitCodes.usage,
    message: [sentence(capitalise(what)), hint].filter(Boolean).join(' '),
    next: `See: ${reached} --help`,
  };
}

const capitalise = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
/** A command at the end stays as it can be copied. */
function sentence(text: string): string {
  const last = text.slice(text.lastIndexOf(': ') + 2);
  const endsWithCommand = last !== text && /^(?:svc|npm) [^.]*$/.test(last);
  return endsWithCommand || /[.!?]$/.test(text) ? text : `${text}.`;
}

function chainOf(error: unknown): string {
  const parts: string[] = [];
  for (let each = error; each !== undefined; each = each instanceof Error ? each.cause : undefined)
    parts.push(each instanceof Error ? (each.stack ?? each.message) : JSON.stringify(each));
  return parts.join('\ncaused by: ');
}
