import { AppError, type ErrorCode } from '../errors.ts';

/** Why a request got no response: refused by the rules, unreachable, too slow, or too long. */
export type OutboundFault = 'refused' | 'network' | 'timeout' | 'too_long';

/** A request without a response; the message contains only the host of the URL. */
export class OutboundError extends AppError {
  readonly fault: OutboundFault;
  constructor(fault: OutboundFault, message: string, options: { code?: ErrorCode; cause?: unknown } = {}) {
    super(options.code ?? (fault === 'refused' ? 'forbidden' : 'unavailable'), message, options);
    this.fault = fault;
  }
}

/** Whether the error is an `AppError` of our own, not of a request. */
export const isOwnError = (error: unknown): error is AppError =>
  error instanceof AppError && !(error instanceof OutboundError);

/** Readable descriptions of common failures; others are shown by code. */
const reasons: Record<string, string> = {
  ENOTFOUND: 'its name is not known',
  EAI_AGAIN: 'its name cannot be looked up now',
  ECONNREFUSED: 'it refuses the connection',
  ECONNRESET: 'it closed the connection',
  UND_ERR_SOCKET: 'it closed the connection',
  EHOSTUNREACH: 'there is no way to it',
  ENETUNREACH: 'there is no way to it',
  HTTPParserError: 'its answer is not HTTP',
  UND_ERR_HEADERS_OVERFLOW: 'its headers are too long',
};
const timeouts = ['ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT'];

export const tooSlow = (host: string, cause?: unknown): OutboundError =>
  new OutboundError('timeout', `${host} did not answer in time`, { cause });

export const tooLong = (maxBytes: number): OutboundError =>
  new OutboundError('too_long', `The answer is longer than ${maxBytes} bytes`);

export const notHttp = (host: string): OutboundError =>
  new OutboundError('refused', `Requests to ${host} are not allowed: it is not a port for HTTP`);

/** Translates network errors. */
export function toOutboundError(error: unknown, host: string): OutboundError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof OutboundError) return cause;
  // The Fetch standard blocks some ports, such as those of mail servers.
  if (cause instanceof Error && cause.message === 'bad port') return notHttp(host);
  const code = codeOf(cause);
  if (timeouts.includes(code)) return tooSlow(host, error);
  const reason = reasons[code] ?? code;
  return new OutboundError('network', `${host} cannot be reached${reason && `: ${reason}`}`, {
    cause: error,
  });
}

function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return '';
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name;
}
