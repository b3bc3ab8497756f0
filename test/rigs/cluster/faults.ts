import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../crash/random.ts';
import type { ClusterWorld } from './cluster-world.ts';

/** Something that goes wrong, and how long the next one waits. */
export interface Fault {
  name: string;
  /** How often it comes beside the others. */
  weight: number;
  /** Resolves when everything runs again; the cluster may still be catching up. */
  run(world: ClusterWorld): Promise<void>;
}

/** Beyond the lease of a claim, which is 30 s. */
const FROZEN_MS = 40_000;
const AWAY_MS = 15_000;

/** Each row of the failure matrix that a process can bring about. */
export const faults: readonly Fault[] = [
  {
    name: 'kill',
    weight: 100,
    async run(world) {
      const daemon = world.anyDaemon();
      await daemon.end('SIGKILL');
      world.kills++;
      await world.startAgain(daemon);
    },
  },
  {
    name: 'kill two',
    weight: 10,
    async run(world) {
      const [first, second] = world.daemons;
      if (!first || !second) return;
      await Promise.all([first.end('SIGKILL'), second.end('SIGKILL')]);
      world.kills += 2;
      await Promise.all([world.startAgain(first), world.startAgain(second)]);
    },
  },
  {
    name: 'stop and start',
    weight: 5,
    async run(world) {
      const daemon = world.anyDaemon();
      await daemon.end('SIGTERM');
      await world.startAgain(daemon);
    },
  },
  { name: 'flush Redis', weight: 5, run: ({ redis }) => redis.flushAll() },
  {
    name: 'kill Redis',
    weight: 3,
    async run({ redis }) {
      await redis.kill();
      await delay(2000);
      await redis.restart();
    },
  },
  {
    name: 'hang Redis',
    weight: 2,
    async run({ redis }) {
      redis.pause();
      await delay(5000);
      redis.resume();
    },
  },
  {
    name: 'Redis away',
    weight: 1,
    async run({ redis }) {
      await redis.kill();
      await delay(AWAY_MS);
      await redis.restart();
    },
  },
  {
    name: 'crash PostgreSQL',
    weight: 2,
    async run({ postgres }) {
      await postgres.crash();
      await delay(2000);
      await postgres.start();
    },
  },
  {
    name: 'freeze',
    weight: 1,
    async run(world) {
      const daemon = world.anyDaemon();
      daemon.signal('SIGSTOP');
      await delay(FROZEN_MS);
      daemon.signal('SIGCONT');
    },
  },
];

/** One of the faults by their weights. */
export function pickFault(random: Random, names?: readonly string[]): Fault {
  const candidates = faults.filter(({ name }) => !names || names.includes(name));
  let at = random.next() * candidates.reduce((sum, { weight }) => sum + weight, 0);
  const found = candidates.find(({ weight }) => (at -= weight) < 0);
  if (!found) throw new Error(`There is no such fault: ${names?.join(', ')}`);
  return found;
}
