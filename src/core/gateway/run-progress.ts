import type { EventBus } from '../events.ts';
import type { StoredTask } from '../tasks/task-mapping.ts';
import { isTerminal } from '../tasks/task-states.ts';

/** Only a finished run has progress 1, and an estimate by time never comes close to it. */
const MOST = 0.99;
const MOST_BY_TIME = 0.9;
/** Far more than the concurrent runs; limits the entries that missed completions leave behind. */
const MAX_KNOWN = 10_000;

/** Progress of active runs, as reported by their agents or else estimated by time; it never decreases within a run. */
export class RunProgress {
  readonly #bus: EventBus;
  readonly #shown = new Map<string, { value: number; isOfAgent: boolean }>();
  #isListening = false;

  constructor(bus: EventBus) {
    this.#bus = bus;
  }

  /** From 0 to 1. */
  of(
    task: Pick<StoredTask, 'id' | 'status' | 'started_at'>,
    { now, average }: { now: Date; average: number },
  ) {
    this.listen();
    if (isTerminal(task.status)) return 1;
    if (task.status !== 'in_progress' || task.started_at === null) return 0;
    const known = this.#shown.get(task.id);
    if (known?.isOfAgent) return known.value;
    const elapsed = Math.max(0, now.getTime() - Date.parse(task.started_at));
    const byTime = Math.min(MOST_BY_TIME, 1 - Math.exp(-elapsed / Math.max(1, average)));
    const value = Math.max(known?.value ?? 0, Math.round(byTime * 1000) / 1000);
    this.#keep(task.id, { value, isOfAgent: false });
    return value;
  }

  /** Subscribes to reports by agents on the first request. */
  listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#bus.on('task', ({ task, event }) => {
      if (task.status !== 'in_progress' || event.type === 'started') this.#shown.delete(task.id);
      const said = event.type === 'progress' ? event.data['progress'] : undefined;
      if (typeof said !== 'number' || !(said >= 0 && said <= 1) || task.status !== 'in_progress') return;
      const value = Math.max(this.#shown.get(task.id)?.value ?? 0, Math.min(MOST, said));
      this.#keep(task.id, { value, isOfAgent: true });
    });
  }

  #keep(id: string, shown: { value: number; isOfAgent: boolean }): void {
    this.#shown.set(id, shown);
    const [oldest] = this.#shown.keys();
    if (this.#shown.size > MAX_KNOWN && oldest !== undefined) this.#shown.delete(oldest);
  }
}
