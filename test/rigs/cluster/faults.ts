import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from '../crash/random.ts';
import type { ClusterWorld } from './cluster-world.ts';

/** Something that goes wrong. */
export interface Fault {
  name: string;
  /** How often it comes beside the others; what has 0 comes only by its name. */
  weight: number;
  /**
   * Resolves when everything runs again; the cluster may still be catching up. `during` is called while the fault lasts,
   * with what it is called in reports.
   */
  run(world: ClusterWorld, during: During): Promise<void>;
}
export type During = (name: string) => Promise<void>;

/** Beyond the lease of a claim, which is 30 s. */
const BEYOND_LEASE_MS = 40_000;

/** Each row of the failure matrix; a wrong clock is there all the time. */
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
  { name: 'calm', weight: 5, run: (_world, during) => during('calm') },
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
    async run({ redis }, during) {
      redis.pause();
      await during('Redis hangs');
      await delay(3000);
      redis.resume();
    },
  },
  redisAway('Redis away', 2, 15_000),
  redisAway('Redis away for 5 minutes', 0, 300_000),
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
    name: 'fail over',
    weight: 2,
    async run(world) {
      const before = world.postgres;
      const standby = await world.addSynchronousStandby();
      await delay(world.random.between(500, 2000));
      await before.crash();
      // The daemons find a server that takes no writes, until it is promoted.
      world.moveTo(standby);
      await delay(1000);
      await standby.promote();
      await before.stop();
    },
  },
  {
    name: 'freeze',
    weight: 1,
    async run(world) {
      const daemon = world.anyDaemon();
      daemon.signal('SIGSTOP');
      await delay(BEYOND_LEASE_MS);
      daemon.signal('SIGCONT');
    },
  },
  cutOff('cut off shortly', 3, 5000),
  cutOff('cut off', 1, BEYOND_LEASE_MS),
];

function redisAway(name: string, weight: number, ms: number): Fault {
  return {
    name,
    weight,
    async run({ redis }, during) {
      await redis.kill();
      await during('Redis is away');
      await delay(ms);
      await redis.restart();
    },
  };
}

/** One daemon reaches neither the database nor Redis, and nothing tells it so. */
function cutOff(name: string, weight: number, ms: number): Fault {
  return {
    name,
    weight,
    async run(world) {
      const { ways } = world.random.pick(world.members);
      ways.postgres.cut();
      ways.redis.cut();
      await delay(ms);
      ways.postgres.restore();
      ways.redis.restore();
    },
  };
}

export function faultNamed(name: string): Fault {
  const found = faults.find((fault) => fault.name === name);
  if (!found)
    throw new Error(`There is no fault "${name}", only: ${faults.map((each) => each.name).join(', ')}`);
  return found;
}

/** One of the faults by their weights. */
export function pickFault(random: Random): Fault {
  let at = random.next() * faults.reduce((sum, { weight }) => sum + weight, 0);
  const found = faults.find(({ weight }) => (at -= weight) < 0);
  if (!found) throw new Error('The weights do not add up');
  return found;
}
