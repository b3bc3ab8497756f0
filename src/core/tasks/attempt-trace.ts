import type { TaskRow } from '../storage/rows/tasks.ts';
import { parseTaskSpan } from '../telemetry/stored-context.ts';
import type { Attributes, Telemetry } from '../telemetry/telemetry.ts';
import type { RunOutcome } from './run-outcome.ts';

export interface TracedAttempt {
  agent: string;
  task: Pick<TaskRow, 'id' | 'attempts' | 'trace_context' | 'repository'>;
}

/** Runs an attempt within a span below that of its task, whichever daemon created it, and whenever. */
export async function traceAttempt(
  telemetry: Telemetry | undefined,
  { agent, task }: TracedAttempt,
  work: () => Promise<RunOutcome>,
): Promise<void> {
  if (!telemetry) {
    await work();
    return;
  }
  const span = telemetry.startSpan(`invoke_agent ${agent}`, {
    // The worker may run within the request that woke it, which is of another task.
    parent: parseTaskSpan(task.trace_context)?.context ?? 'none',
    attributes: {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'svc',
      'gen_ai.agent.name': agent,
      'svc.task.id': task.id,
      'svc.task.attempt': task.attempts,
    },
  });
  try {
    const outcome = await telemetry.within(span, work);
    span.set(attributesOf(outcome));
    span.end(outcome.kind === 'failed' ? outcome.error.class : undefined);
  } finally {
    span.end('Error');
  }
}

function attributesOf(outcome: RunOutcome): Attributes {
  const base = { 'svc.attempt.outcome': outcome.kind };
  if (outcome.kind !== 'completed' && outcome.kind !== 'failed') return base;
  const { usage, model } = outcome.result;
  return {
    ...base,
    'gen_ai.response.model': model,
    'gen_ai.usage.input_tokens': usage?.inputTokens,
    'gen_ai.usage.output_tokens': usage?.outputTokens,
  };
}
