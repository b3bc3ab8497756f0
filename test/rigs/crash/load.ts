import { ApiError } from '../../../src/contract/client.ts';
import type { RigDaemon } from './daemon-process.ts';
import type { Kind, Ledger, TaskBody } from './ledger.ts';
import type { Random } from './random.ts';

/** How many callers post at the same time, and how much each does at most. */
const CALLERS = 6;
const STEPS = 14;

const kinds: readonly Kind[] = [
  'ok',
  'ok',
  'ok',
  'slow',
  'slow',
  'slow',
  'flaky',
  'flaky',
  'hopeless',
  'broken',
  'stubborn',
  'stubborn',
  'nobody',
];

/** The first attempt sleeps until something ends it; a later one is done at once. */
const sleeper = 'case "$SVC_RUN" in */1) sleep 30 & sleep 30;; *) echo done;; esac';
/** Leaves its group and closes what ties it to the daemon. */
const stray =
  'case "$SVC_RUN" in */1) setsid sleep 30 3<&- >/dev/null 2>&1 </dev/null & sleep 30;; *) echo done;; esac';

/** Posts at the same moment, in a cycle that has a burst. */
const BURST = 150;

/** Lets callers post, cancel and retry until the daemon is gone or all is done. */
export async function putUnderLoad(
  daemon: RigDaemon,
  ledger: Ledger,
  random: Random,
  cycle: number,
  callerCount = CALLERS,
) {
  if (random.chance(0.1)) {
    const caller: Caller = { daemon, ledger, random, name: `${cycle}-burst`, own: [] };
    const posts = Array.from({ length: BURST }, () => post(caller, 'ok'));
    // Those that the crash took were not promised.
    await Promise.allSettled(posts);
    return;
  }
  const callers = Array.from({ length: callerCount }, (_, index) =>
    call({ daemon, ledger, random, name: `${cycle}-${index}`, own: [] }),
  );
  await Promise.all(callers);
}

interface Caller {
  daemon: RigDaemon;
  ledger: Ledger;
  random: Random;
  name: string;
  own: string[];
}

async function call(caller: Caller): Promise<void> {
  const { daemon, random, ledger, name } = caller;
  for (let step = 0; step < STEPS && daemon.isAlive(); step++) {
    const chance = random.next();
    try {
      if (step === 0)
        await post(caller, name.endsWith('0') ? 'stray' : name.endsWith('1') ? 'child' : 'stubborn');
      else if (chance < 0.55) await post(caller, random.pick(kinds));
      else if (chance < 0.7) await postWithKey(caller, `${name}-${step}`);
      else if (chance < 0.85) await cancel(caller);
      else if (chance < 0.92) await retry(caller);
      else if (chance < 0.94) await pauseOrResume(caller);
      else await revive(caller);
    } catch (error) {
      if (error instanceof ApiError && error.status !== 400)
        ledger.oddAnswers.push(`${error.status} ${error.message}`);
      // Everything else is the wrong moment, or a connection that the crash took.
    }
  }
}

export function bodyOf(kind: Kind, random: Random): TaskBody {
  const agent = kind === 'child' || kind === 'stray' ? 'command' : kind;
  const prompts: Partial<Record<Kind, string>> = {
    slow: String(random.between(5, 120)),
    flaky: String(random.between(1, 2)),
    stubborn: String(random.between(20, 150)),
    child: sleeper,
    stray,
  };
  const prompt = prompts[kind];
  return {
    title: kind,
    assignedAgent: agent,
    priority: random.between(1, 4),
    ...(prompt !== undefined && { prompt }),
  };
}

async function post({ daemon, ledger, random, own }: Caller, kind: Kind): Promise<void> {
  const { task } = await daemon.client.tasks.create({ body: bodyOf(kind, random) });
  ledger.acknowledge(task.id, kind);
  own.push(task.id);
}

/** Sends the same post twice at the same time. */
async function postWithKey({ daemon, ledger, random }: Caller, key: string): Promise<void> {
  const kind = random.pick(kinds);
  ledger.keyed.set(key, { body: bodyOf(kind, random), ids: new Set() });
  await Promise.all([sendWithKey(daemon, ledger, key), sendWithKey(daemon, ledger, key)]);
}

export async function sendWithKey(daemon: RigDaemon, ledger: Ledger, key: string): Promise<void> {
  const post = ledger.keyed.get(key);
  if (!post) return;
  const { task } = await daemon.client.tasks.create({ body: post.body, headers: { 'idempotency-key': key } });
  post.ids.add(task.id);
  ledger.acknowledge(task.id, post.body.title as Kind);
}

async function cancel({ daemon, ledger, random, own }: Caller): Promise<void> {
  if (own.length === 0) return;
  const id = random.pick(own);
  ledger.touched.add(id);
  await daemon.client.tasks.cancel({ params: { id } });
  ledger.cancelled.add(id);
}

async function retry({ daemon, ledger, random, own }: Caller): Promise<void> {
  if (own.length === 0) return;
  const id = random.pick(own);
  const { task } = await daemon.client.tasks.retry({ params: { id } });
  ledger.acknowledge(task.id, task.title as Kind);
}

/** A pause outlives the daemon; the rig itself ends it after the restart. */
async function pauseOrResume({ daemon, random }: Caller): Promise<void> {
  // Seldom: a daemon that starts paused has nothing that a second crash could hit.
  await (random.chance(0.15) ? daemon.client.queue.pause() : daemon.client.queue.resume());
}

async function revive({ daemon, ledger, random }: Caller): Promise<void> {
  const { items } = await daemon.client.dlq.list({ query: { limit: 20 } });
  if (items.length === 0) return;
  const item = random.pick(items);
  ledger.touched.add(item.taskId);
  await daemon.client.dlq.retry({ params: { id: item.id } });
  ledger.revived.set(item.id, item.taskId);
}
