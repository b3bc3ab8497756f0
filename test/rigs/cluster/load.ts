import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterWorld } from './cluster-world.ts';

/** What clients of the cluster were told. */
export class ClientLedger {
  /** Tasks that a daemon has acknowledged, by idempotency key. */
  readonly acknowledged = new Map<string, string>();
  /** What creates have met, by what was wrong at the time. */
  readonly creates = new Map<string, { times: number[]; failed: number }>();
  /** What is wrong now. */
  fault = 'calm';

  note(ms: number | undefined): void {
    const met = this.creates.get(this.fault) ?? { times: [], failed: 0 };
    this.creates.set(this.fault, met);
    if (ms === undefined) met.failed++;
    else met.times.push(ms);
  }
}

const AGAIN_MS = 200;
/** Tasks that are created and not finished, so that the faults find some at work and the machine is not flooded. */
const IN_FLIGHT = 60;

/** Creates tasks at any daemon, each with a key of its own, until `signal` aborts; each is sent until it is acknowledged. */
export async function createTasks(
  world: ClusterWorld,
  ledger: ClientLedger,
  signal: AbortSignal,
): Promise<void> {
  const clients = Array.from({ length: 6 }, (_, client) => createOneByOne(world, ledger, client, signal));
  await Promise.all(clients);
}

async function createOneByOne(
  world: ClusterWorld,
  ledger: ClientLedger,
  client: number,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; !signal.aborted; n++) {
    const key = `${client}-${n}`;
    const body = {
      title: `Task ${key}`,
      assignedAgent: 'command',
      prompt: noteAndSleep(world),
    };
    for (;;) {
      const sent = performance.now();
      try {
        const { task } = await world
          .anyDaemon()
          .client()
          .tasks.create({ body, headers: { 'idempotency-key': key } });
        ledger.note(performance.now() - sent);
        ledger.acknowledged.set(key, task.id);
        break;
      } catch {
        ledger.note(undefined);
        // The daemon, its database or the way to it is away: the same request again, at any of them.
        await delay(AGAIN_MS);
      }
    }
    while (ledger.acknowledged.size - world.ranTimes().size > IN_FLIGHT && !signal.aborted)
      await delay(AGAIN_MS);
  }
}

/** A schedule that is due every five seconds, and a webhook for every end. */
export async function subscribe(world: ClusterWorld): Promise<void> {
  const client = world.anyDaemon().client();
  const url = world.receiver.urlOf(HOOK);
  const { webhook } = await client.webhooks.create({
    body: { url, events: ['task.completed', 'task.failed', 'task.cancelled'] },
  });
  world.receiver.secrets.set(HOOK, webhook.secret);
  await client.schedules.create({
    body: {
      cron: '*/5 * * * * *',
      task: { title: 'Every five seconds', assignedAgent: 'command', prompt: noteAndSleep(world) },
    },
  });
}

const HOOK = 'ends';

/** A command that notes that it ran, and takes a moment. */
export const noteAndSleep = (world: ClusterWorld): string =>
  `echo "$SVC_TASK_ID" >> ${world.ledger}; sleep 0.${world.random.between(0, 3)}`;
