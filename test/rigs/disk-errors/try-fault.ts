import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type RigDaemon, startRigDaemon } from '../crash/daemon-process.ts';
import { poll } from '../poll.ts';
import { type DiskFault, injectFault } from './disk-fault.ts';
import { answerViolation, send } from './requests.ts';

/** More rows than the cache holds, so that reads reach the disk. */
const ROWS = 45;
const LONG = 'a long description '.repeat(1000);
const CALLERS = 3;
const MAX_REQUESTS = 30;
/** Refused requests of each caller after which the fault has lasted long enough. */
const REFUSALS = 4;

export interface Finding {
  /** Calls that failed, and requests that were refused because of them. */
  failures: number;
  refused: number;
  acknowledged: number;
  violations: string[];
}

/** Lets the disk of a daemon fail under load; then either the disk works again, or the daemon is killed. */
export async function tryFault(
  home: string,
  fault: DiskFault,
  { isKilled, planted }: { isKilled: boolean; planted?: string },
): Promise<Finding> {
  const finding: Finding = { failures: 0, refused: 0, acknowledged: 0, violations: [] };
  const acknowledged: string[] = [];
  const daemon = await start(home, planted);
  try {
    acknowledged.push(...(await Promise.all(Array.from({ length: ROWS }, () => createTask(daemon)))));
    const injected = await injectFault(daemon.pid, home, fault);
    try {
      await Promise.all(Array.from({ length: CALLERS }, () => load(daemon, fault, finding, acknowledged)));
      if (isKilled) await daemon.end('SIGKILL');
    } finally {
      await injected.end();
      finding.failures = injected.failures();
    }
    if (!isKilled) finding.violations.push(...(await recoveryViolations(daemon, fault, acknowledged)));
    if (!isKilled && !daemon.isAlive()) finding.violations.push('the daemon died');
  } finally {
    await daemon.end('SIGKILL');
  }
  finding.acknowledged = acknowledged.length;
  finding.violations.push(...(await restartViolations(home, acknowledged)));
  return finding;
}

async function start(home: string, planted?: string): Promise<RigDaemon> {
  const daemon = await startRigDaemon({ home, flags: { 'storage.cacheMiB': 1 }, fault: planted });
  if (!daemon) throw new Error('the daemon died while it started');
  return daemon;
}

const task = { title: 'A task', description: LONG, assignedAgent: 'ok' };
const idOf = (body: Record<string, unknown>) => String((body['task'] as { id?: unknown } | undefined)?.id);

async function createTask(daemon: RigDaemon): Promise<string> {
  const { status, body } = await send(daemon, '/api/tasks', task);
  if (status !== 201) throw new Error(`a task was not created: ${JSON.stringify(body)}`);
  return idOf(body);
}

/** Creates and reads tasks until enough requests were refused. */
async function load(
  daemon: RigDaemon,
  fault: DiskFault,
  finding: Finding,
  acknowledged: string[],
): Promise<void> {
  let refusals = 0;
  const check = (path: string, answer: Awaited<ReturnType<typeof send>>) => {
    const violation = answerViolation(path, answer);
    if (violation !== undefined) finding.violations.push(violation);
    if (answer.status < 500) return;
    refusals++;
    finding.refused++;
  };
  try {
    for (let n = 0; n < MAX_REQUESTS && refusals < REFUSALS; n++) {
      const created = await send(daemon, '/api/tasks', task);
      check('create', created);
      if (created.status === 201) acknowledged.push(idOf(created.body));
      else if (fault.calls === undefined) finding.violations.push(...(await healthViolations(daemon)));
      const id = acknowledged[(n * 17) % acknowledged.length] ?? '';
      check('get', await send(daemon, `/api/tasks/${id}`));
      check('list', await send(daemon, '/api/tasks?limit=20'));
    }
  } catch (error) {
    finding.violations.push(`no answer: ${String(error)}`);
  }
}

/** After a refused write, health says so and what to do. */
async function healthViolations(daemon: RigDaemon): Promise<string[]> {
  const ready = await send(daemon, '/api/health/ready');
  const detailed = await send(daemon, '/api/health/detailed');
  const { storage } = (detailed.body['components'] ?? {}) as {
    storage?: { status: string; message: string };
  };
  const violations: string[] = [];
  if (ready.status !== 503 || !saysWhatToDo(ready.body['reason']))
    violations.push(`ready: ${ready.status} ${JSON.stringify(ready.body)}`);
  if (detailed.status !== 503 || storage?.status !== 'unhealthy' || !saysWhatToDo(storage.message))
    violations.push(`health: ${detailed.status} ${JSON.stringify(storage ?? detailed.body)}`);
  return violations;
}

const saysWhatToDo = (text: unknown): boolean =>
  typeof text === 'string' &&
  /Free some space|restart the daemon|restore a backup|Make it writable/i.test(text);

/** Without a fault, the daemon works again, or says that it has to be restarted. */
async function recoveryViolations(
  daemon: RigDaemon,
  fault: DiskFault,
  acknowledged: string[],
): Promise<string[]> {
  let last = '';
  const recovered = await poll(async () => {
    const ready = await send(daemon, '/api/health/ready');
    last = JSON.stringify(ready.body);
    if (ready.status === 200) return 'works';
    return fault.call === 'pread64' && /restart the daemon/.test(last) ? 'says so' : undefined;
  }, 10_000);
  if (recovered === undefined) return [`does not recover: ${last}`];
  if (recovered === 'works') acknowledged.push(await createTask(daemon));
  return [];
}

/** After a kill, every acknowledged task is there, runs to its end once, and the database is whole. */
async function restartViolations(home: string, acknowledged: string[]): Promise<string[]> {
  const daemon = await start(home);
  const isOver = await poll(async () => {
    const { body } = await send(daemon, '/api/queue/status');
    const { tasks } = (body['queues'] ?? {}) as { tasks?: Record<string, number> };
    return tasks && (tasks['pending'] ?? 0) + (tasks['queued'] ?? 0) + (tasks['inProgress'] ?? 0) === 0
      ? true
      : undefined;
  }, 20_000);
  await daemon.end('SIGKILL');
  const database = new DatabaseSync(join(home, 'data', 'svc.db'), { readOnly: true });
  try {
    const column = (query: string) =>
      database
        .prepare(query)
        .all()
        .map((row) => String(Object.values(row)[0]));
    const completed = new Set(column("select id from tasks where status = 'completed'"));
    return [
      ...(isOver ? [] : ['tasks do not finish after the restart']),
      ...acknowledged.filter((id) => !completed.has(id)).map((id) => `lost: ${id}`),
      ...column(`select id from tasks where
        (select count(*) from task_events where task_seq = tasks.seq and type = 'created') <> 1 or
        (select count(*) from task_events where task_seq = tasks.seq and type = 'completed') <> 1`).map(
        (id) => `events do not fit: ${id}`,
      ),
      ...column('pragma integrity_check').filter((answer) => answer !== 'ok'),
    ];
  } finally {
    database.close();
  }
}
