import type { ProviderName } from '../../contract/providers.ts';
import type { FailureClass } from '../../contract/task.ts';
import { displayName } from '../config/provider-settings.ts';
import { OutboundError, type OutboundFault, toOutboundError } from '../outbound/outbound-error.ts';
import { readRetryAfter } from '../outbound/retry-after.ts';
import type { ModelFailure } from './resolved-model.ts';
import { safeText } from '../text/safe-text.ts';
import { readStatement } from './vendor-statement.ts';

const MAX_WAIT_MS = 24 * 60 * 60_000;

export interface FailureContext {
  provider: ProviderName;
  /** Redacted from every message. */
  secrets: readonly string[];
  /** The texts that were sent; messages that quote them are not shown. */
  texts?: readonly string[] | undefined;
  now: number;
}
type Kind = Pick<ModelFailure, 'class' | 'code'>;

/** Converts an error of the AI SDK, the network or a vendor to a `ModelFailure`. */
export function toModelFailure(
  thrown: unknown,
  { provider, secrets, texts = [], now }: FailureContext,
): ModelFailure {
  const error = innermost(thrown);
  const name = displayName(provider);
  const fail = (kind: Kind, message: string, retryAfterMs?: number): ModelFailure => ({
    ...kind,
    message,
    retryAfterMs,
  });
  if (isNamed(error, 'AbortError', 'ResponseAborted'))
    return fail({ class: 'cancelled', code: 'cancelled' }, 'The request was cancelled');
  if (isNamed(error, 'TimeoutError')) return fail(timedOut, `${name} did not answer in time`);
  const fault = networkFault(error, name);
  if (fault) return fail(faults[fault.fault], safeText(`${name}: ${fault.message}`, secrets));
  const statement = readStatement(error);
  const kind = kindOf(statement);
  const safe = safeText(statement.message, secrets).replace(/(?<![.\s])[.\s]+$/, '');
  const detail = quotes(safe, texts) ? '' : safe;
  return fail(kind, sentence(kind, provider, statement.status, detail), waitOf(error, now));
}

const MIN_QUOTE = 16;

/** Whether a message of a vendor quotes one of the texts, in whole or in a long enough part. */
function quotes(words: string, texts: readonly string[]): boolean {
  const flat = texts.map((text) => text.replaceAll(/\s+/g, ' ').trim());
  if (flat.some((text) => text.length > 2 && words.includes(text))) return true;
  const starts = Math.max(0, words.length - MIN_QUOTE + 1);
  return Array.from({ length: starts }, (_, start) => words.slice(start, start + MIN_QUOTE)).some((part) =>
    flat.some((text) => text.includes(part)),
  );
}

const timedOut: Kind = { class: 'timeout', code: 'timeout' };
const faults: Record<OutboundFault, Kind> = {
  refused: { class: 'policy_denied', code: 'address' },
  network: { class: 'network', code: 'network' },
  timeout: timedOut,
  too_long: { class: 'agent_error', code: 'bad_answer' },
};

/** The underlying error of a sequence of attempts or of a stream without output. */
function innermost(error: unknown, depth = 0): unknown {
  if (depth > 5 || !(error instanceof Error)) return error;
  if (error.name === 'AI_RetryError' && 'lastError' in error) return innermost(error.lastError, depth + 1);
  if (error.name === 'AI_NoOutputGeneratedError' && error.cause !== undefined)
    return innermost(error.cause, depth + 1);
  return error;
}

function networkFault(error: unknown, name: string): OutboundError | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 6; each = each.cause, depth++) {
    if (each instanceof OutboundError) return each;
    if (isNamed(each, 'SocketError') || codeOf(each).startsWith('UND_ERR_') || each.message === 'terminated')
      return toOutboundError(each, name);
  }
  return undefined;
}

const codeOf = (error: Error) => ('code' in error && typeof error.code === 'string' ? error.code : '');
const isNamed = (error: unknown, ...names: string[]) => error instanceof Error && names.includes(error.name);

/** Phrases and codes of the vendors, most specific first: some send 400 or 429 for everything. */
const byPhrase: [pattern: RegExp, kind: Kind][] = [
  [
    /insufficient_quota|insufficient balance|insufficient credits|credit balance|available credits|billing_(hard|not|error)|spend_limit/,
    { class: 'quota', code: 'quota' },
  ],
  [/content_?filter|content_policy|responsibleai/, { class: 'invalid_input', code: 'content_filter' }],
  [
    /context_length|context length|prompt is too long|maximum context/,
    { class: 'invalid_input', code: 'context_too_long' },
  ],
  [/invalid_api_key|api_key_invalid|authentication_error|incorrect api key/, { class: 'auth', code: 'auth' }],
];

/** For errors in the middle of a stream, which have no status. */
const inStream: [pattern: RegExp, kind: Kind][] = [
  [/rate_limit|resource_exhausted|too_many_requests/, { class: 'rate_limited', code: 'rate_limited' }],
  [/permission|unauthori[sz]ed|unauthenticated/, { class: 'auth', code: 'auth' }],
  [/overloaded/, { class: 'network', code: 'overloaded' }],
  [/server_error|internal|unavailable|api_error/, { class: 'network', code: 'vendor_error' }],
  [
    /invalid|not_found|unsupported|tool_use_failed|bad_request|token limit/,
    { class: 'invalid_input', code: 'invalid_input' },
  ],
];

function kindOf({ status, words, isUnreadable }: ReturnType<typeof readStatement>): Kind {
  if (status === 402) return { class: 'quota', code: 'quota' };
  const found = byPhrase.find(([pattern]) => pattern.test(words));
  if (found) return found[1];
  if (status !== undefined && status >= 300) return kindOfStatus(status);
  const late = inStream.find(([pattern]) => pattern.test(words));
  if (late && !isUnreadable) return late[1];
  return isUnreadable
    ? { class: 'agent_error', code: 'bad_answer' }
    : { class: 'unknown', code: 'vendor_error' };
}

function kindOfStatus(status: number): Kind {
  if (status === 401 || status === 403) return { class: 'auth', code: 'auth' };
  if (status === 408 || status === 504) return timedOut;
  if (status === 429) return { class: 'rate_limited', code: 'rate_limited' };
  if (status === 529) return { class: 'network', code: 'overloaded' };
  if (status >= 500) return { class: 'network', code: 'vendor_error' };
  if (status < 400) return { class: 'agent_error', code: 'bad_answer' };
  return { class: 'invalid_input', code: status === 404 ? 'not_found' : 'invalid_input' };
}

const openings: Partial<Record<FailureClass, string>> = {
  auth: 'refuses the key',
  quota: 'has no credit left for the key',
  rate_limited: 'accepts no more requests for now',
  timeout: 'did not answer in time',
  network: 'cannot answer now',
  invalid_input: 'does not accept the request',
  agent_error: 'sent something that cannot be read',
};

function sentence(
  { class: kind }: Kind,
  type: ProviderName,
  status: number | undefined,
  detail: string,
): string {
  const opening = `${displayName(type)} ${openings[kind] ?? 'failed'}`;
  const reason = detail || (status !== undefined && status >= 300 ? `it answered ${status}` : '');
  const advice = kind === 'auth' || kind === 'quota' ? `. Set another: svc providers configure ${type}` : '';
  return `${opening}${reason && `: ${reason}`}${advice}`;
}

/** The delay that the vendor requests: in milliseconds, seconds or as a date, or in the body as Google does. */
function waitOf(error: unknown, now: number): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { responseHeaders: headers, responseBody: body } = error as {
    responseHeaders?: Record<string, string>;
    responseBody?: string;
  };
  const exact = Number(headers?.['retry-after-ms']);
  const inBody = Number(/"retryDelay":\s*"([\d.]+)s"/.exec(body ?? '')?.[1]) * 1000;
  const wait = [exact, readRetryAfter(headers?.['retry-after'], now), inBody].find(
    (each) => each !== undefined && each > 0,
  );
  return wait === undefined ? undefined : Math.min(Math.ceil(wait), MAX_WAIT_MS);
}
