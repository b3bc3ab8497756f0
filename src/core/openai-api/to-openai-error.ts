import type { OpenAiError } from '../../contract/openai/error.ts';
import { BudgetReached } from '../budgets/budget-reached.ts';
import type { AppError, ErrorCode } from '../errors.ts';
import { ModelError } from '../providers/model-error.ts';
import { RouteFailed } from './route-failed.ts';
import { AgentAnswerFailed } from './agent-answer-failed.ts';

/** An error in the form of OpenAI, and its HTTP status where that is not the one of the code. */
export interface OpenAiFailure {
  status?: number;
  error: OpenAiError;
}

const INVALID = 'invalid_request_error';
const SERVER = 'server_error';

/**
 * The failures of providers. A key that the provider refuses is none of the caller's, whose own token is right: neither 401
 * nor 403.
 */
const ofProvider: Record<string, [type: string, code: string, status?: number]> = {
  rate_limited: ['requests', 'rate_limit_exceeded'],
  context_too_long: [INVALID, 'context_length_exceeded'],
  content_filter: [INVALID, 'content_filter'],
  not_found: [INVALID, 'model_not_found', 404],
  invalid_input: [INVALID, 'invalid_request'],
  auth: [SERVER, 'provider_key_refused'],
  quota: [SERVER, 'provider_quota_exceeded'],
  address: [SERVER, 'provider_address_refused'],
  overloaded: [SERVER, 'provider_overloaded'],
  timeout: [SERVER, 'provider_timeout'],
  bad_answer: [SERVER, 'provider_bad_answer'],
};

const own: Partial<Record<ErrorCode, [type: string, code: string]>> = {
  validation: [INVALID, 'invalid_value'],
  wrong_state: [INVALID, 'invalid_request'],
  unauthenticated: [INVALID, 'invalid_api_key'],
  forbidden: ['permission_error', 'insufficient_permissions'],
  not_found: [INVALID, 'not_found'],
  rate_limited: ['requests', 'rate_limit_exceeded'],
  unsupported: [INVALID, 'unsupported'],
  unavailable: [SERVER, 'unavailable'],
};

/** Converts an expected failure; anything else is a bug and tells callers nothing. */
export function toOpenAiError(error: AppError): OpenAiFailure {
  const { message } = error;
  const cause = error instanceof RouteFailed ? error.last : error;
  const param = cause.details?.[0]?.path ?? null;
  if (cause instanceof BudgetReached)
    return { error: { message, param, type: 'insufficient_quota', code: 'insufficient_quota' } };
  if (cause instanceof AgentAnswerFailed)
    return { error: { message, param, type: SERVER, code: 'agent_failed' } };
  if (cause instanceof ModelError) {
    const { code } = cause.failure;
    const [type, name, status] = ofProvider[code] ?? [SERVER, 'provider_unavailable'];
    return {
      ...(status !== undefined && { status }),
      error: { message, param: name === 'model_not_found' ? 'model' : param, type, code: name },
    };
  }
  const isUnknownModel = param === 'model' && (cause.code === 'validation' || cause.code === 'not_found');
  if (isUnknownModel)
    return { status: 404, error: { message, param, type: INVALID, code: 'model_not_found' } };
  const [type, code] = own[cause.code] ?? [SERVER, cause.code];
  return { error: { message, param, type, code } };
}
