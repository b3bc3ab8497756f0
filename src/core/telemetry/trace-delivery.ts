import type { AttemptResult } from '../outbound/post-signed.ts';
import type { Telemetry } from './telemetry.ts';
import { traceHeaders } from './trace-context.ts';

export interface TracedDelivery {
  name: string;
  /** The task whose trace it belongs to. */
  taskId: string | null;
  attempt: number;
}

/** Makes one attempt of a delivery within a span of the trace of its task; `send` gets the headers that carry it on. */
export async function traceDelivery(
  telemetry: Telemetry | undefined,
  { name, taskId, attempt }: TracedDelivery,
  send: (headers: Record<string, string>) => Promise<AttemptResult>,
): Promise<AttemptResult> {
  if (!telemetry) return send({});
  const parent = taskId === null ? undefined : await telemetry.ofTask(taskId);
  const span = telemetry.startSpan(name, {
    kind: 'client',
    parent: parent ?? 'none',
    attributes: {
      'http.request.method': 'POST',
      'http.request.resend_count': attempt > 0 ? attempt : undefined,
      'svc.task.id': taskId ?? undefined,
    },
  });
  try {
    const result = await telemetry.within(span, () => send(traceHeaders(span.context)));
    const { status, isDelivered } = result;
    span.set({ 'http.response.status_code': status ?? undefined });
    span.end(isDelivered ? undefined : String(status ?? 'no_response'));
    return result;
  } finally {
    span.end('Error');
  }
}
