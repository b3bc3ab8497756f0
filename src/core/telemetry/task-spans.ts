import type { CoreEvents } from '../events.ts';
import { parseTaskSpan } from './stored-context.ts';
import type { Telemetry } from './telemetry.ts';

const finished = ['completed', 'failed', 'cancelled'];

/** Exports the span of a task when it finishes, on whichever daemon that is. */
export function recordTaskSpan(telemetry: Telemetry, { task }: CoreEvents['task_moved']): void {
  if (!finished.includes(task.status)) return;
  const stored = parseTaskSpan(task.trace_context);
  if (!stored) return;
  const { context, parent, earlier, startedAt = Date.parse(task.created_at) } = stored;
  telemetry.record({
    name: 'task',
    context,
    parent,
    links: earlier && [earlier],
    startedAt,
    endedAt: Math.max(startedAt, Date.parse(task.completed_at ?? task.updated_at)),
    error: task.status === 'completed' ? undefined : task.status,
    attributes: {
      'svc.task.id': task.id,
      'svc.task.status': task.status,
      'svc.task.source': task.source,
      'svc.task.attempts': task.attempts,
      'gen_ai.agent.name': task.agent_type ?? task.assigned_agent ?? undefined,
    },
  });
}
