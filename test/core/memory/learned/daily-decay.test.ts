import { expect, it } from 'vitest';
import { decayDaily } from '../../../../src/core/memory/learned/daily-decay.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import { startDaemon } from '../../../helpers/daemon.ts';

const DAY_MS = 86_400_000;

it('decays unused experiences once a day by the configured half-life', async () => {
  let now = Date.now();
  const runtime = { ...systemRuntime, now: () => new Date(now) };
  await using daemon = await startDaemon({ flags: { 'memory.halfLifeDays': 10 }, runtime });
  const { id } = (
    await daemon.client.experiences.create({
      body: {
        type: 'task_solution',
        intent: 'Free the disk of old build caches',
        solution: ['Run the cleaner script of the build server', 'Check with df'],
      },
    })
  ).experience;
  const { database, config, experiences, leases } = daemon.app;
  const weightAfter = async (days: number) => {
    now += days * DAY_MS;
    await decayDaily({ database, config, experiences, leases, runtime });
    return (await daemon.client.experiences.get({ params: { id } })).experience.weight;
  };
  expect(await weightAfter(0)).toBe(1);
  expect(await weightAfter(0.5)).toBe(1);
  expect(await weightAfter(1)).toBeCloseTo(0.5 ** 0.15, 6);
  expect(await weightAfter(0.5)).toBeCloseTo(0.5 ** 0.15, 6);
  expect(await weightAfter(8)).toBeCloseTo(0.5, 6);
});
