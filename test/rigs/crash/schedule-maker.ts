import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, type Client } from '../../../src/contract/client.ts';
import { poll } from '../poll.ts';
import type { OutsideRows } from './outside-rows.ts';
import type { OutsideDeps } from './outside-deps.ts';

/** How many schedules a cycle brings, and how far ahead they run, in milliseconds. */
const SCHEDULES = 6;
const AHEAD_MS = 500;
/** A user may have 500. */
const MOST = 450;
const kinds = ['ok', 'slow', 'flaky', 'hopeless'] as const;

/** Makes schedules that run once, soon. */
export class ScheduleMaker {
  readonly #acknowledged = new Set<string>();

  get count(): number {
    return this.#acknowledged.size;
  }

  /** Until the daemon is gone or all is done. */
  async load({ daemon, ledger, random }: OutsideDeps): Promise<void> {
    for (let made = 0; made < SCHEDULES && this.count < MOST && daemon.isAlive(); made++) {
      const kind = random.pick(kinds);
      const at = new Date(Date.now() + random.between(50, AHEAD_MS)).toISOString();
      try {
        const { schedule } = await daemon.client.schedules.create({
          body: { at, task: { title: kind, assignedAgent: kind } },
        });
        this.#acknowledged.add(schedule.id);
      } catch (error) {
        // On a slow machine its time may have passed. Everything else is a connection that the crash took.
        if (error instanceof ApiError && ![400, 503].includes(error.status))
          ledger.oddAnswers.push(`${error.status} ${error.message}`);
      }
      await delay(random.between(0, 60));
    }
  }

  /** Waits until all have run; answers how many have not. */
  async awaitRuns(client: Client, limitMs: number): Promise<number> {
    let open = 0;
    await poll(async () => {
      const { total } = await client.schedules.list({ query: { status: 'active', limit: 1 } });
      open = total;
      return open === 0 ? true : undefined;
    }, limitMs);
    return open;
  }

  /** Each schedule ran once, whatever a crash cut off. */
  *check(rows: OutsideRows): Generator<string> {
    const stored = rows.schedules();
    const known = new Set(stored.map(({ id }) => id));
    for (const id of this.#acknowledged) if (!known.has(id)) yield `an acknowledged schedule is gone: ${id}`;
    for (const { id, runs, tasks } of stored)
      if (runs !== 1 || tasks !== 1) yield `the schedule ${id} counts ${runs} runs and made ${tasks} tasks`;
  }
}
