import type { FailureClass } from '../../../../contract/task.ts';
import { cutText } from '../../../text/cut-text.ts';
import type { AgentExit, DriverFailure } from '../driver.ts';
import { JsonRpcError, isObject } from '../json-rpc.ts';
import { type Fields, fieldsOf, numberOf, objectsOf, textOf } from './codex-fields.ts';

const MAX_TEXT = 500;

interface Cause {
  class: FailureClass;
  code: string;
  /** Ends with what Codex said, where that is safe and says more. */
  message: (said: string) => string;
}
const cause = (failureClass: FailureClass, code: string, message: Cause['message']): Cause => ({
  class: failureClass,
  code,
  message,
});

const auth = cause(
  'auth',
  'login_required',
  // What Codex said may hold a part of the key.
  () => 'The model provider rejected the login of Codex. Run `codex login`, or check the key that it uses.',
);
const rateLimited = cause(
  'rate_limited',
  'rate_limited',
  () => 'The model provider of Codex received too many requests (status 429).',
);
const serverError = cause('network', 'server_error', (said) => `The model provider of Codex failed: ${said}`);
const connection = cause('network', 'connection_lost', (said) => `Codex lost its model provider: ${said}`);
const rejected = cause(
  'invalid_input',
  'request_rejected',
  (said) => `The model provider of Codex rejected the request: ${said}`,
);
const failed = cause('agent_error', 'turn_failed', (said) => `Codex failed: ${said}`);
const refused = cause('agent_error', 'refused', () => 'The model refused to answer.');
const sandbox = cause(
  'agent_error',
  'sandbox',
  () => 'Codex could not start its own sandbox, so none of its commands ran.',
);

/** By the name of `codexErrorInfo`. */
const BY_NAME: Record<string, Cause> = {
  unauthorized: auth,
  usageLimitExceeded: cause(
    'quota',
    'usage_limit',
    () => 'The usage limit of the account of Codex is reached.',
  ),
  contextWindowExceeded: cause(
    'invalid_input',
    'context_too_long',
    () => 'The conversation is too long for the model.',
  ),
  modelNotFound: cause('invalid_input', 'unknown_model', (said) => `Codex cannot use this model: ${said}`),
  internalServerError: serverError,
  serverOverloaded: serverError,
  badRequest: rejected,
  cyberPolicy: refused,
  sandboxError: sandbox,
};
/** By the name of `codexErrorInfo`, where it holds no status that says more. */
const CONNECTION_ERRORS = new Set([
  'httpConnectionFailed',
  'responseStreamConnectionFailed',
  'responseStreamDisconnected',
  'responseTooManyFailedAttempts',
]);
/** By the text, where the name is `other`. */
const BY_TEXT: [RegExp, Cause][] = [[/^stream disconnected before completion/, connection]];

const byStatus = (status: number | undefined): Cause | undefined =>
  status === undefined
    ? undefined
    : status === 401
      ? auth
      : status === 429
        ? rateLimited
        : status >= 500
          ? serverError
          : status >= 400
            ? rejected
            : undefined;

function findCause(info: unknown, text: string): Cause {
  const name = textOf(info) ?? Object.keys(fieldsOf(info))[0] ?? '';
  const details = fieldsOf(fieldsOf(info)[name]);
  return (
    (Object.hasOwn(BY_NAME, name) ? BY_NAME[name] : undefined) ??
    byStatus(numberOf(details['httpStatusCode'])) ??
    (CONNECTION_ERRORS.has(name) ? connection : undefined) ??
    BY_TEXT.find(([pattern]) => pattern.test(text))?.[1] ??
    failed
  );
}

const toFailure = (found: Cause, said: string): DriverFailure => ({
  class: found.class,
  code: found.code,
  message: found.message(cutText(said, MAX_TEXT)),
});

/** The failure that an error of a turn stands for; `rateLimits` is the last state of the limits that Codex reported. */
export function turnFailure(error: unknown, rateLimits: Fields): DriverFailure {
  const fields = fieldsOf(error);
  const said = textOf(fields['message']) ?? 'it gave no reason';
  const failure = toFailure(findCause(fields['codexErrorInfo'], said), said);
  return failure.class === 'quota' ? { ...failure, resetsAt: resetOf(rateLimits) } : failure;
}

/** When the windows that are used up begin anew, in epoch milliseconds. */
function resetOf(rateLimits: Fields): number | undefined {
  const resets = objectsOf(Object.values(rateLimits))
    .filter((window) => (numberOf(window['usedPercent']) ?? 0) >= 100)
    .flatMap((window) => numberOf(window['resetsAt']) ?? []);
  return resets.length === 0 ? undefined : Math.max(...resets) * 1000;
}

/** Whether an update of the limits says how far a window is used. */
export const hasWindow = (rateLimits: Fields): boolean =>
  Object.values(rateLimits).some(
    (window) => isObject(window) && numberOf(window['usedPercent']) !== undefined,
  );

/** A turn that came to its end without an error and is no success. */
export const emptyFailure = (isRefusal: boolean): DriverFailure =>
  isRefusal
    ? toFailure(refused, '')
    : {
        class: 'agent_error',
        code: 'empty',
        message: 'Codex finished without an answer and without a change.',
      };
export const sandboxFailure = (): DriverFailure => toFailure(sandbox, '');
export const deniedFailure = (): DriverFailure => ({
  class: 'policy_denied',
  code: 'permission_denied',
  message: 'A tool call of Codex was denied, and Codex finished without an answer after it.',
});
export const interruptedFailure = (): DriverFailure => ({
  class: 'agent_error',
  code: 'interrupted',
  message: 'Codex interrupted its turn by itself.',
});

/** The process has exited too early; `detail` is the end of its stderr. */
export function exitFailure({ code, signal }: AgentExit, detail: string): DriverFailure {
  const how = signal === null ? `with code ${code ?? 'unknown'}` : `on signal ${signal}`;
  const last = detail
    .split('\n')
    .findLast((line) => line.trim() !== '')
    ?.trim();
  return {
    class: 'agent_crash',
    code: 'exited',
    message: `Codex exited ${how} before the end of its turn${last ? `: ${cutText(last, MAX_TEXT)}` : '.'}`,
  };
}

/** A request that Codex answered with an error. */
export function requestFailure(error: unknown, resumed?: string): DriverFailure {
  const said = error instanceof Error ? error.message : 'it gave no reason';
  if (resumed !== undefined && /no rollout found|thread not found|invalid thread id/i.test(said))
    return {
      class: 'agent_error',
      code: 'session_not_found',
      message: `Codex does not know the session ${resumed} any more.`,
    };
  const data = error instanceof JsonRpcError ? fieldsOf(error.data) : {};
  const known = findCause(data['codexErrorInfo'], said);
  if (known !== failed) return toFailure(known, said);
  // The parameters of the request are at fault, not Codex.
  const isInvalid = error instanceof JsonRpcError && error.code === -32602;
  return isInvalid
    ? {
        class: 'invalid_input',
        code: 'request_rejected',
        message: `Codex rejected the request: ${cutText(said, MAX_TEXT)}`,
      }
    : toFailure({ ...failed, code: 'request_failed' }, said);
}
