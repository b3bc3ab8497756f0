import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { poll } from '../poll.ts';
import type { ClusterWorld } from './cluster-world.ts';

/** A run that continues for longer is not counted: the cancel did not end it. */
const LIMIT_MS = 60_000;

/**
 * Cancels a task that runs, at a daemon that chance picks, and resolves to the milliseconds from the answer until its
 * process was gone; undefined where it never ran.
 */
export async function cancelSomewhere(world: ClusterWorld): Promise<number | undefined> {
  const name = `probe-${world.nextProbe()}`;
  const file = join(world.folder, name);
  const { task } = await world
    .anyDaemon()
    .client()
    .tasks.create({
      body: { title: name, assignedAgent: 'command', prompt: `echo $$ > ${file}; exec sleep 300` },
    });
  const pid = await poll(
    () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0) || undefined,
    LIMIT_MS,
  );
  await world
    .anyDaemon()
    .client()
    .tasks.cancel({ params: { id: task.id } });
  const answered = performance.now();
  if (pid === undefined) return undefined;
  await poll(() => (isAlive(pid) ? undefined : true), LIMIT_MS, 5);
  rmSync(file);
  return performance.now() - answered;
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`);
}
