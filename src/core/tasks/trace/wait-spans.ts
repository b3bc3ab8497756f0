import { messageOf } from '../../errors.ts';
import type { CoreEvents } from '../../events.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../../storage/database.ts';
import { parseTaskSpan } from '../../telemetry/stored-context.ts';
import type { Telemetry } from '../../telemetry/telemetry.ts';
import { waits } from './waits.ts';

export interface WaitSpansDeps {
  database: Database;
  telemetry: Telemetry;
  log: Pick<Log, 'debug'>;
}

/** Exports each wait of a task as a span below that of the task when it is over, on whichever daemon that is. */
export class WaitSpans {
  readonly #deps: WaitSpansDeps;
  readonly #reading = new Set<Promise<void>>();

  constructor(deps: WaitSpansDeps) {
    this.#deps = deps;
  }

  readonly record = (move: CoreEvents['task_moved']): void => {
    const reading = this.#record(move)
      .catch((error: unknown) => {
        this.#deps.log.debug({ reason: messageOf(error) }, 'the wait of a task could not be read');
      })
      .finally(() => this.#reading.delete(reading));
    this.#reading.add(reading);
  };

  /** Resolves when all that were recorded are handed over. */
  async settled(): Promise<void> {
    await Promise.all(this.#reading);
  }

  async #record({ before, task }: CoreEvents['task_moved']): Promise<void> {
    const isOver = before.status === 'pending' || before.status === 'queued';
    const parent = parseTaskSpan(task.trace_context)?.context;
    // One that was claimed as it was created never waited.
    if (!isOver || !parent?.isSampled || before.event_seq === task.event_seq) return;
    const began = await this.#deps.database.read
      .selectFrom('task_events')
      .select(['type', 'at'])
      .where('task_seq', '=', task.seq)
      .where('seq', '<=', before.event_seq)
      .where('type', 'in', Object.keys(waits))
      .orderBy('seq', 'desc')
      .limit(1)
      .executeTakeFirst();
    const name = began && waits[began.type as keyof typeof waits]?.name;
    if (!began || name === undefined) return;
    const startedAt = Date.parse(began.at);
    this.#deps.telemetry.record({
      name,
      parent,
      startedAt,
      endedAt: Math.max(startedAt, Date.parse(task.updated_at)),
      error: task.status === 'cancelled' ? task.status : undefined,
      attributes: { 'svc.task.id': task.id },
    });
  }
}
