import { rmSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../helpers/daemon.ts';
import { deliver, fromGithub, inboundFlags, type InboundReply, openedIssue } from '../helpers/inbound.ts';
import { type RigDaemon, startRigDaemon } from './crash/daemon-process.ts';
import type { KillOrder } from './crash/kill-points.ts';
import { sized } from '../helpers/long.ts';

const DELIVERIES = 30;
const PART = 5;
const rounds = sized(1, 4);

const issueOf = (at: number) => `octo/hello#${at + 1}`;

async function start(home: string): Promise<RigDaemon> {
  const daemon = await startRigDaemon({ home, flags: inboundFlags });
  if (!daemon) throw new Error('The daemon was killed while it started');
  return daemon;
}

/** Every task, by the issue that it is of. */
async function tasksOf({ client }: RigDaemon): Promise<Map<string, string[]>> {
  const { tasks } = await client.tasks.list({ query: { limit: 500, fields: 'sourceId' } });
  const byIssue = Map.groupBy(tasks, ({ sourceId = '' }) => sourceId);
  return new Map([...byIssue].map(([issue, found]) => [issue, found.map(({ id }) => id)]));
}

/**
 * Sends deliveries to a daemon that dies at the commit that is ordered, and all of them again to the next one, as their
 * vendors do. Answers how many were answered before it died, and how many were kept.
 */
async function crash(home: string, order: KillOrder): Promise<{ answered: number; kept: number }> {
  const deliveries = Array.from({ length: DELIVERIES }, (_, at) =>
    fromGithub(openedIssue({ number: at + 1 })),
  );
  const first = await start(home);
  first.arm(order);
  const answered: { issue: string; at: number; reply: InboundReply }[] = [];
  // Each part is one commit or more, so that there are as many as are ordered.
  for (let from = 0; from < DELIVERIES; from += PART)
    await Promise.allSettled(
      deliveries.slice(from, from + PART).map(async (delivery, index) => {
        const reply = await deliver(first, delivery);
        answered.push({ issue: issueOf(from + index), at: from + index, reply });
      }),
    );
  await first.ended;
  expect(first.diedAt()).toBe(order.point);

  const second = await start(home);
  try {
    const kept = await tasksOf(second);
    for (const { issue, reply } of answered) {
      expect(reply).toMatchObject({ status: 200, body: { status: 'accepted' } });
      expect(kept.get(issue)).toEqual([reply.body.taskId]);
    }
    const again: InboundReply[] = [];
    for (const delivery of deliveries) again.push(await deliver(second, delivery));
    for (const { at, reply } of answered)
      expect(again[at]).toMatchObject({ body: { ...reply.body, status: 'duplicate' } });
    const tasks = await tasksOf(second);
    expect(tasks.size).toBe(DELIVERIES);
    for (const [at, { status, body }] of again.entries()) {
      expect(status).toBe(200);
      expect(tasks.get(issueOf(at))).toEqual([body.taskId]);
    }
    expect(second.bugs).toEqual([]);
    return { answered: answered.length, kept: kept.size };
  } finally {
    await second.end('SIGKILL');
  }
}

/** One crash at each of the first commits. */
async function crashes(point: KillOrder['point']): Promise<{ answered: number; kept: number }[]> {
  const results = [];
  for (let passing = 1; passing <= rounds; passing++) {
    const home = temporaryFolder();
    try {
      results.push(await crash(home, { point, passing }));
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  }
  return results;
}

describe('a daemon that is killed while webhooks arrive', { timeout: 180_000 }, () => {
  it('a daemon killed before a commit keeps none of its webhooks, and accepts them when they are sent again', async () => {
    for (const { answered, kept } of await crashes('before-commit')) {
      expect(kept).toBe(answered);
      expect(kept).toBeLessThan(DELIVERIES);
    }
  });

  it('a daemon killed after a commit keeps each webhook once, even when it is sent again', async () => {
    const results = await crashes('after-commit');
    expect(results.some(({ answered, kept }) => kept > answered)).toBe(true);
  });
});
