import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterWorld } from './cluster-world.ts';

/** Tasks that a daemon has acknowledged, by idempotency key. */
export type Acknowledged = Map<string, string>;

const AGAIN_MS = 200;
/** Tasks that are created and not finished, so that the faults find some at work and the machine is not flooded. */
const IN_FLIGHT = 60;

/** Creates tasks at any daemon, each with a key of its own, until `signal` aborts; each is sent until it is acknowledged. */
export async function createTasks(
  world: ClusterWorld,
  acknowledged: Acknowledged,
  signal: AbortSignal,
): Promise<void> {
  const clients = Array.from({ length: 6 }, (_, client) =>
    createOneByOne(world, acknowledged, client, signal),
  );
  await Promise.all(clients);
}

async function createOneByOne(
  world: ClusterWorld,
  acknowledged: Acknowledged,
  client: number,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const key = `${client}-${n}`;
    for (;;) {
      try {
        const { task } = await world
          .anyDaemon()
          .client()
          .tasks.create({
            body: {
              title: `Task ${key}`,
              assignedAgent: 'command',
              prompt: `echo "$SVC_TASK_ID" >> ${world.ledger}; sleep 0.${world.random.between(0, 3)}`,
            },
            headers: { 'idempotency-key': key },
          });
        acknowledged.set(key, task.id);
        break;
      } catch {
        // The daemon, its database or the way to it is away: the same request again, at any of them.
        await delay(AGAIN_MS);
      }
    }
    while (acknowledged.size - world.ranTimes().size > IN_FLIGHT && !signal.aborted) await delay(AGAIN_MS);
  }
}
