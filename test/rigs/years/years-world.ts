import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../../src/core/app.ts';
import { owner, ownerId } from '../../../src/core/auth/owner.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { AgentFailure } from '../../../src/core/agents/agent-adapter.ts';
import { startDaemon, type TestDaemon } from '../../helpers/daemon.ts';
import { testAdapter } from '../../helpers/tasks.ts';
import { addRows } from './daily-rows.ts';

const DAY_MS = 86_400_000;
/** Each tenth task fails, and its dead letter stays pending. */
const FAILS_EVERY = 10;

export interface YearsOptions {
  tasksPerDay: number;
  home?: string;
  /** Days after which audit entries are archived; 0 for never. */
  auditDays: number;
}

/** A daemon that lives day after day by a clock of its own, and what of it must never be removed. */
export interface YearsWorld extends AsyncDisposable {
  daemon: TestDaemon;
  app: App;
  /** Lets a day's work come and finish, and then the day pass, with the daemon's own clean-up. */
  liveOneDay(): Promise<void>;
  /** Pages of the database file in use or free, in bytes. */
  bytes(): Promise<number>;
  day(): number;
  now(): Date;
  /** A task that waits for an agent that never comes. */
  waitingTask: string;
  /** The first failed task: a person may requeue it as long as its dead letter is pending. */
  firstFailed(): string;
}

export async function startYears({ tasksPerDay, auditDays, home }: YearsOptions): Promise<YearsWorld> {
  let days = 0;
  const began = Date.now();
  // Within a day everything takes no time, so that nothing depends on how fast this machine is.
  const now = () => new Date(began + days * DAY_MS);
  const runtime = { ...systemRuntime, now, monotonic: () => performance.now() + days * DAY_MS };
  const adapter = testAdapter(async (run) => {
    writeFileSync(join(await run.workspace(), 'result.txt'), 'x'.repeat(2000));
    for (let step = 0; step < 4; step++)
      run.emit({ type: 'output', message: `${run.task.title} ${step} ${'word '.repeat(100)}` });
    if (run.task.labels?.includes('fails')) throw new AgentFailure('invalid_input', 'rig', 'It went wrong');
    return { output: `${run.task.title} ${'result '.repeat(300)}` };
  });
  const daemon = await startDaemon({
    runtime,
    extraAdapters: [adapter],
    // Faster, and no question here: the power stays on.
    flags: { 'retention.auditDays': auditDays, 'storage.synchronous': 'NORMAL' },
    ...(home !== undefined && { home }),
  });
  const { app } = daemon;
  let made = 0;
  let failed = '';
  const finish = async () => {
    const fails = ++made % FAILS_EVERY === 0;
    const { task } = await app.tasks.create(owner, {
      title: `Task ${made}`,
      prompt: `Do number${made} ${Array.from({ length: 60 }, (_, n) => `word${(made * 7 + n * n) % 5000}`).join(' ')}`,
      assignedAgent: 'test',
      labels: fails ? ['fails'] : [],
      idempotencyKey: `key ${made}`,
      source: 'api',
      priority: 3,
    });
    if (fails) failed ||= task.id;
    const abort = new AbortController();
    for await (const _ of (await app.taskEvents.follow(owner, task.id, 0, abort.signal)) ?? []);
    return task.id;
  };
  const { task: waiting } = await app.tasks.create(owner, {
    title: 'Waits',
    assignedAgent: 'http',
    source: 'api',
    priority: 3,
    labels: [],
  });
  return {
    daemon,
    app,
    waitingTask: waiting.id,
    firstFailed: () => failed,
    day: () => days,
    now,
    bytes: async () => (await app.database.space.read()).bytes,
    async liveOneDay() {
      const ids: string[] = [];
      for (let n = 0; n < tasksPerDay; n++) ids.push(await finish());
      await addRows(app, ownerId, now(), ids);
      await app.database.engine.refreshTextIndex();
      days++;
      await app.tidy();
    },
    [Symbol.asyncDispose]: () => daemon[Symbol.asyncDispose](),
  };
}
