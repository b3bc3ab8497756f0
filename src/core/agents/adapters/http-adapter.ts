import { z } from 'zod';
import { safeParse } from '../../../contract/safe-parse.ts';
import { type FailureClass, taskResultSchema } from '../../../contract/task.ts';
import { OutboundError, type OutboundFault } from '../../outbound/outbound-error.ts';
import type { OutboundFetch, OutboundResponse } from '../../outbound/outbound-fetch.ts';
import { readRetryAfter } from '../../outbound/retry-after.ts';
import { type AgentAdapter, AgentFailure, type AgentResult, type AgentRun } from '../agent-adapter.ts';

const MAX_ANSWER_BYTES = 2 * 1024 * 1024;
const HEALTH_TIMEOUT_MS = 2000;

/** The JSON response of an agent; any other text is used as the output. */
const answerSchema = z.object({
  success: z.boolean().default(true),
  output: z.string(),
  error: z.string().optional(),
  ...taskResultSchema.pick({ usage: true, cost: true, model: true }).shape,
  artifacts: taskResultSchema.shape.artifacts.optional(),
});

export interface HttpAdapterOptions {
  /** The URL of the agent; undefined while it is not configured. */
  url: () => string | undefined;
  timeoutMs: () => number;
  fetch: OutboundFetch;
}

/** The agent that posts the task as JSON to a configured URL and returns the response as the result. */
export function httpAdapter({ url, timeoutMs, fetch }: HttpAdapterOptions): AgentAdapter {
  return {
    type: 'http',
    name: 'HTTP',
    description: 'Posts the task to a URL and returns the response as the result',
    capabilities: ['http'],
    needs: [],
    configSchema: z.object({ url: z.url({ protocol: /^https?$/ }) }),
    isChosenByLabels: true,
    faults: ['network', 'timeout', 'auth', 'quota', 'rate_limited', 'agent_error'],
    missingConfig: () =>
      url() === undefined ? 'the address of the agent: svc config set agents.http.url URL' : undefined,
    async checkHealth(signal) {
      const started = performance.now();
      // Any response shows that the server is up; its status for a GET does not matter.
      await fetch(url() ?? '', {
        method: 'GET',
        signal,
        timeoutMs: HEALTH_TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
      });
      return { healthy: true, latencyMs: Math.round(performance.now() - started) };
    },
    execute: (run) => execute(run, url() ?? '', timeoutMs(), fetch),
  };
}

async function execute(
  run: AgentRun,
  url: string,
  timeoutMs: number,
  fetch: OutboundFetch,
): Promise<AgentResult> {
  run.emit({ type: 'progress', message: `Posting the task to ${new URL(url).host}` });
  let response: OutboundResponse;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/plain' },
      body: JSON.stringify({ task: run.task, attempt: run.attempt }),
      signal: run.signal,
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
    });
  } catch (error) {
    throw classifyFault(run, error);
  }
  if (response.status < 200 || response.status > 299) throw classifyStatus(response);
  return readAnswer(response);
}

function classifyFault(run: AgentRun, error: unknown): unknown {
  if (run.signal.aborted) return run.signal.reason;
  if (!(error instanceof OutboundError)) return error;
  const [failure, code] = faults[error.fault];
  return new AgentFailure(failure, code, `The agent cannot be reached: ${error.message}`, {
    cause: error,
    isOutage: failure === 'network',
  });
}

const faults: Record<OutboundFault, [FailureClass, code: string]> = {
  refused: ['policy_denied', 'address'],
  network: ['network', 'network'],
  timeout: ['timeout', 'timeout'],
  too_long: ['agent_error', 'bad_answer'],
};

/** Too many requests, and what a gateway answers for a server that is away or overloaded. */
const outageStatuses = [429, 502, 503, 504];

function classifyStatus({ status, headers, text }: OutboundResponse): AgentFailure {
  const failure: FailureClass =
    status === 401 || status === 403
      ? 'auth'
      : status === 402
        ? 'quota'
        : status === 429 || status === 503
          ? 'rate_limited'
          : status === 408 || status === 504
            ? 'timeout'
            : status >= 500
              ? 'agent_error'
              : 'invalid_input';
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now());
  const detail = text.trim().slice(0, 500);
  return new AgentFailure(
    failure,
    `http_${status}`,
    `The agent answered ${status}${detail && `: ${detail}`}`,
    {
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      isOutage: outageStatuses.includes(status),
    },
  );
}

function readAnswer({ headers, text }: OutboundResponse): AgentResult {
  if (!headers.get('content-type')?.includes('json')) return { output: text };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new AgentFailure('agent_error', 'bad_answer', 'The agent sent invalid JSON', {
      cause,
    });
  }
  const { success, data } = safeParse(answerSchema, body);
  if (!success) return { output: text };
  if (!data.success)
    throw new AgentFailure('agent_error', 'unsuccessful', data.error ?? 'The agent reported a failure', {
      output: data.output,
    });
  const { output, usage, cost, model, artifacts } = data;
  return {
    output,
    ...(usage && { usage }),
    ...(cost !== undefined && { cost }),
    ...(model !== undefined && { model }),
    ...(artifacts && { artifacts }),
  };
}
