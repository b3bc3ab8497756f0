import type { FailureClass } from '../../../contract/task.ts';

/** A sentence by which an agent or its provider reports a failure that no field reports. */
export interface FailureText {
  pattern: RegExp;
  class: FailureClass;
  code: string;
  /** The recorded transcript that shows it, as agent/scenario. */
  source: string;
}

/** All sentences by which failures are recognized. Each comes from a transcript; fields are always read first. */
export const failureTexts: readonly FailureText[] = [
  {
    pattern: /exceeded retry limit, last status: 429\b/,
    class: 'rate_limited',
    code: 'rate_limited',
    source: 'acp-codex/rate-limit',
  },
  {
    pattern: /^Rate limit reached for /,
    class: 'rate_limited',
    code: 'rate_limited',
    source: 'acp-opencode/rate-limit',
  },
  {
    pattern: /exhausted your daily quota/,
    class: 'quota',
    code: 'usage_limit',
    source: 'acp-gemini/usage-limit',
  },
  {
    pattern: /^Incorrect API key provided/,
    class: 'auth',
    code: 'login_required',
    source: 'acp-opencode/auth-401',
  },
  {
    pattern: /currently experiencing high demand/,
    class: 'network',
    code: 'server_error',
    source: 'acp-codex/server-500',
  },
  {
    pattern: /^unexpected status 5\d\d\b/,
    class: 'network',
    code: 'server_error',
    source: 'acp-codex/overloaded-529',
  },
  {
    pattern: /^The engine is currently overloaded/,
    class: 'network',
    code: 'server_error',
    source: 'acp-opencode/overloaded-529',
  },
  {
    pattern: /stream disconnected before completion/,
    class: 'network',
    code: 'connection_lost',
    source: 'acp-codex/stream-cut',
  },
  {
    pattern: /^Connection reset by server/,
    class: 'network',
    code: 'connection_lost',
    source: 'acp-opencode/stream-cut',
  },
  {
    pattern: /^Prompt is too long/,
    class: 'invalid_input',
    code: 'context_too_long',
    source: 'acp-claude/context-too-long',
  },
  {
    pattern: /exceeds the context window of this model/,
    class: 'invalid_input',
    code: 'context_too_long',
    source: 'acp-codex/context-too-long',
  },
  {
    pattern: /^The input token count .* exceeds the maximum/,
    class: 'invalid_input',
    code: 'context_too_long',
    source: 'acp-gemini/context-too-long',
  },
  {
    pattern: / does not exist or you do not have access to it/,
    class: 'invalid_input',
    code: 'unknown_model',
    source: 'acp-codex/unknown-model',
  },
  {
    pattern: /is not found for API version/,
    class: 'invalid_input',
    code: 'unknown_model',
    source: 'acp-gemini/unknown-model',
  },
  {
    pattern: /^No previous sessions found/,
    class: 'agent_error',
    code: 'session_not_found',
    source: 'acp-gemini/resume-2',
  },
];

/** What a text says about a failure; undefined if it is none of the known sentences. */
export const findFailureText = (text: string): FailureText | undefined =>
  failureTexts.find(({ pattern }) => pattern.test(text));
