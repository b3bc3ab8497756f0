import { cutText } from '../../../text/cut-text.ts';
import type { AgentExit, DriverFailure } from '../driver.ts';
import { amount, type Fields, text } from './claude-messages.ts';

/** What the lines of a turn said about its failure before the result did. */
export interface SeenTrouble {
  /** The `error` of the last message of the model. */
  apiError?: string | undefined;
  /** A usage limit that refused a call. */
  limit?: { resetsAt?: number | undefined } | undefined;
}

type Kind = Pick<DriverFailure, 'class' | 'code'> & { says: string };

const limited: Kind = {
  class: 'rate_limited',
  code: 'rate_limited',
  says: 'hit the rate limit of its model',
};
const usageLimit: Kind = { class: 'quota', code: 'usage_limit', says: 'reached its usage limit' };
const noCredit: Kind = { class: 'quota', code: 'no_credit', says: 'has no credit left' };
const noLogin: Kind = { class: 'auth', code: 'login_required', says: 'needs a login' };
const forbidden: Kind = { class: 'auth', code: 'forbidden', says: 'may not use its model with this login' };
const serverError: Kind = {
  class: 'network',
  code: 'server_error',
  says: 'got an error from its model provider',
};
const unreachable: Kind = { class: 'network', code: 'connection_lost', says: 'could not reach its model' };
const unknownModel: Kind = {
  class: 'invalid_input',
  code: 'unknown_model',
  says: 'does not know this model',
};
const badRequest: Kind = {
  class: 'invalid_input',
  code: 'invalid_request',
  says: 'sent a request that its model refused',
};
const tooLong: Kind = {
  class: 'invalid_input',
  code: 'context_too_long',
  says: 'got a prompt that is too long for its model',
};
const refused: Kind = {
  class: 'agent_error',
  code: 'refused',
  says: 'stopped because its model refused to answer',
};
const outOfTokens: Kind = {
  class: 'agent_error',
  code: 'answer_too_long',
  says: 'reached the longest answer of its model',
};
const outOfTurns: Kind = {
  class: 'agent_error',
  code: 'max_turns',
  says: 'reached its limit of model calls',
};
const outOfBudget: Kind = { class: 'budget', code: 'agent_budget', says: 'reached its own budget' };
const failed: Kind = { class: 'agent_error', code: 'execution_failed', says: 'failed' };
const noSession: Kind = {
  class: 'agent_error',
  code: 'session_not_found',
  says: 'does not have the session to continue',
};

const byStatus = new Map<number, Kind>([
  [400, badRequest],
  [401, noLogin],
  [402, noCredit],
  [403, forbidden],
  [404, unknownModel],
  [408, unreachable],
  [413, tooLong],
  [429, limited],
]);

const byApiError = new Map<string, Kind>([
  ['authentication_failed', noLogin],
  ['oauth_org_not_allowed', forbidden],
  ['billing_error', noCredit],
  ['rate_limit', limited],
  ['overloaded', serverError],
  ['server_error', serverError],
  ['model_not_found', unknownModel],
  ['invalid_request', badRequest],
  ['max_output_tokens', outOfTokens],
]);

const bySubtype = new Map<string, Kind>([
  ['error_max_turns', outOfTurns],
  ['error_max_budget_usd', outOfBudget],
]);

/** The only failure that has no field of its own. */
const NO_SESSION = /^No conversation found with session ID\b/m;

/** The failure that a result reports; undefined for one that reports success. */
export function failureOfResult(result: Fields, seen: SeenTrouble): DriverFailure | undefined {
  const isRefusal = result['stop_reason'] === 'refusal';
  if (result['is_error'] === false && result['subtype'] === 'success' && !isRefusal) return undefined;
  const kind = isRefusal ? refused : kindOfResult(result, seen);
  const { resetsAt } = (kind === usageLimit && seen.limit) || {};
  return { ...failure(kind, detailOf(result)), ...(resetsAt !== undefined && { resetsAt }) };
}

function kindOfResult(result: Fields, seen: SeenTrouble): Kind {
  const status = statusOf(result['api_error_status']);
  if (result['terminal_reason'] === 'prompt_too_long') return tooLong;
  if (result['api_error'] === 'usage_limit_reached') return usageLimit;
  if (seen.limit && (status === undefined || status === 429)) return usageLimit;
  // The provider answers this with status 400.
  if (seen.apiError === 'billing_error') return noCredit;
  if (status !== undefined && status >= 500) return serverError;
  const known =
    byStatus.get(status ?? 0) ??
    byApiError.get(seen.apiError ?? '') ??
    bySubtype.get(text(result['subtype']) ?? '');
  if (known) return known;
  if (NO_SESSION.test(detailOf(result))) return noSession;
  return result['terminal_reason'] === 'api_error' ? unreachable : failed;
}

/** Why the program ended before its turn did; `detail` is the end of its stderr. */
export function failureOfExit({ code, signal }: AgentExit, detail: string): DriverFailure {
  if (NO_SESSION.test(detail)) return failure(noSession, detail);
  const how = signal ? `signal ${signal}` : `exit code ${code ?? 'unknown'}`;
  return failure(
    { class: 'agent_crash', code: 'exited', says: `ended before its turn was over (${how})` },
    detail,
  );
}

export const emptyAnswer: DriverFailure = {
  class: 'agent_error',
  code: 'empty',
  message: 'Claude Code ended its turn without an answer and without a change.',
};

export const deniedWithoutAnswer: DriverFailure = {
  class: 'policy_denied',
  code: 'permission_denied',
  message: 'Claude Code ended its turn without an answer after a tool call was denied.',
};

export const turnInProgress: DriverFailure = {
  class: 'agent_error',
  code: 'turn_in_progress',
  message: 'Claude Code is still working on the last prompt.',
};

export const initializationFailed = (detail: string): DriverFailure =>
  failure({ class: 'agent_error', code: 'initialization_failed', says: 'could not be started' }, detail);

/** A status of HTTP, as a number or as its digits. */
const statusOf = (value: unknown): number | undefined =>
  typeof value === 'string' && /^\d{3}$/.test(value) ? Number(value) : amount(value);

/** When a usage limit is reset, in epoch milliseconds: the CLI says it in seconds. */
export function resetTime(resetsAt: unknown): number | undefined {
  const time = amount(resetsAt) ?? (typeof resetsAt === 'string' ? amount(Date.parse(resetsAt)) : undefined);
  if (time === undefined || time === 0 || time > 8.64e15) return undefined;
  // In seconds this would be thousands of years away.
  return time > 1e11 ? time : time * 1000;
}

function failure({ says, ...kind }: Kind, detail: string): DriverFailure {
  const line = cutText(detail.trim().replaceAll(/\s+/g, ' '), 500);
  return { ...kind, message: `Claude Code ${says}${line === '' ? '.' : `: ${line}`}` };
}

function detailOf(result: Fields): string {
  const { errors } = result;
  const lines = Array.isArray(errors) ? errors.filter((line) => typeof line === 'string') : [];
  return text(result['result']) ?? lines.join('\n');
}
