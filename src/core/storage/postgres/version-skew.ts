import type pg from 'pg';
import { AppError } from '../../errors.ts';
import { liveDaemons, namesOf } from './live-daemons.ts';

/**
 * Throws `wrong_state` where a daemon runs on the database whose version is more than one minor version away: daemons of two
 * consecutive versions work together, and no others.
 */
export async function requireNeighbours(client: pg.ClientBase, version: string): Promise<void> {
  const distant = (await liveDaemons(client)).find((daemon) => !areNeighbours(daemon.version, version));
  if (distant)
    throw new AppError(
      'wrong_state',
      `This is svc ${version}, and the daemon ${namesOf([distant])} is of svc ${distant.version}. Daemons of a cluster may be one minor version apart. Upgrade step by step, or stop the others first: svc cluster drain NAME --stop`,
    );
}

function areNeighbours(one: string, other: string): boolean {
  const [left, right] = [one, other].map((version) => version.split('.').map(Number));
  return left?.[0] === right?.[0] && Math.abs((left?.[1] ?? 0) - (right?.[1] ?? 0)) <= 1;
}
