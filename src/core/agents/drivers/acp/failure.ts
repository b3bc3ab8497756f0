import { cutText } from '../../../text/cut-text.ts';
import type { AgentExit, DriverFailure } from '../driver.ts';
import { findFailureText } from '../failure-texts.ts';
import { JsonRpcError } from '../json-rpc.ts';
import { countOf, objectOf, textOf } from './fields.ts';

const MAX_MESSAGE = 500;

type Fault = Pick<DriverFailure, 'class' | 'code'>;

/** What the error fields of agents mean beyond doubt. */
const typed: Readonly<Record<string, Fault>> = {
  // Claude: data.errorKind
  rate_limit: { class: 'rate_limited', code: 'rate_limited' },
  server_error: { class: 'network', code: 'server_error' },
  overloaded: { class: 'network', code: 'server_error' },
  model_not_found: { class: 'invalid_input', code: 'unknown_model' },
  authentication_failed: { class: 'auth', code: 'login_required' },
  billing_error: { class: 'quota', code: 'no_credit' },
  // Codex: data.codexErrorInfo
  usageLimitExceeded: { class: 'quota', code: 'usage_limit' },
  contextWindowExceeded: { class: 'invalid_input', code: 'context_too_long' },
  modelNotFound: { class: 'invalid_input', code: 'unknown_model' },
  unauthorized: { class: 'auth', code: 'login_required' },
  internalServerError: { class: 'network', code: 'server_error' },
  serverOverloaded: { class: 'network', code: 'server_error' },
  // opencode: data.errorName
  ContextOverflowError: { class: 'invalid_input', code: 'context_too_long' },
  ProviderAuthError: { class: 'auth', code: 'login_required' },
};

/** Codes of the protocol and statuses of HTTP; agents use some of them for more than they mean. */
function byCode(code: number): Fault | undefined {
  if (code === -32000 || code === 401 || code === 403) return { class: 'auth', code: 'login_required' };
  if (code === -32002) return { class: 'agent_error', code: 'session_not_found' };
  if (code === 429) return { class: 'rate_limited', code: 'rate_limited' };
  if (code === 400) return { class: 'invalid_input', code: 'invalid_request' };
  if (code >= 500 && code < 600) return { class: 'network', code: 'server_error' };
  return undefined;
}

/** Says why a request failed; `closed` is the failure for a program that exited before it answered. */
export function requestFailure(error: unknown, closed: () => DriverFailure): DriverFailure {
  if (!(error instanceof JsonRpcError)) return closed();
  const data = objectOf(error.data);
  const message = sentence(textOf(data['message']) ?? textOf(data['details']) ?? error.message);
  const info = data['codexErrorInfo'];
  // Codex adds the status to some of its errors, and then their name is a key.
  const [name, detail] = Object.entries(objectOf(info))[0] ?? [];
  const field = [data['errorKind'], info, name, data['errorName']].find(
    (value) => typeof value === 'string' && Object.hasOwn(typed, value),
  );
  const status = countOf(objectOf(detail)['httpStatusCode']) ?? error.code;
  const fault = typed[textOf(field) ?? ''] ?? findFailureText(message) ?? byCode(status);
  return failure(fault ?? { class: 'agent_error', code: 'agent_error' }, message);
}

/** A turn in which no model has answered. */
export const noAnswer: DriverFailure = {
  class: 'agent_error',
  code: 'no_answer',
  message: 'No model has answered.',
};

/** Says why a turn failed whose answer is the text of an error, which warnings may precede. */
export function textFailure(text: string): DriverFailure {
  const sentences = text.split('\n\n').map(sentence);
  const known = sentences.find((one) => findFailureText(one) !== undefined);
  return failure(findFailureText(known ?? '') ?? noAnswer, known ?? (sentence(text) || noAnswer.message));
}

/** Says that the program exited before it had answered. */
export function exitFailure({ code, signal }: AgentExit, detail: string): DriverFailure {
  const last = detail.trimEnd().split('\n').at(-1)?.trim();
  const how = signal ? `was ended by ${signal}` : `exited with code ${code}`;
  return failure(
    { class: 'agent_crash', code: 'exited' },
    `The agent ${how} before it answered${last ? `: ${last}` : '.'}`,
  );
}

/** A failure with a sentence for people; what providers say of a login may hold a part of its key. */
export const failure = ({ class: failureClass, code }: Fault, message: string): DriverFailure => ({
  class: failureClass,
  code,
  message:
    failureClass === 'auth'
      ? 'The model provider did not accept the login of the agent.'
      : cutText(message, MAX_MESSAGE),
});

/** The sentence for people in an error: some agents wrap that of the provider in JSON, some in a prefix. */
function sentence(text: string): string {
  const bare = text.replace(/^Internal error: /, '').trim();
  if (!bare.startsWith('{')) return bare;
  try {
    return textOf(objectOf(objectOf(JSON.parse(bare))['error'])['message']) ?? bare;
  } catch {
    return bare;
  }
}
