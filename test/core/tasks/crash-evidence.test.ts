import { expect, it } from 'vitest';
import type { TaskHead } from '../../../src/core/storage/rows/tasks.ts';
import { judgeCrash, probationMs } from '../../../src/core/tasks/crash-evidence.ts';

const task = (id: string, change: Partial<TaskHead> = {}) =>
  ({ id, crashes: 0, suspect: 0, crash_log: null, ...change }) as TaskHead;
const AT = '2026-01-01T00:00:00.000Z';

it('a crash with several tasks in flight counts against none, and makes all suspects', () => {
  const inFlight = [task('a'), task('b'), task('c')];
  for (const each of inFlight)
    expect(judgeCrash(inFlight, AT)(each)).toEqual({
      change: { crashes: 0, suspect: 1, crash_log: null },
      counts: false,
    });
});

it('a crash beside one suspect counts against the suspect alone', () => {
  const suspect = task('s', { suspect: 1 });
  const inFlight = [task('a'), suspect, task('b')];
  const judge = judgeCrash(inFlight, AT);
  expect(judge(suspect)).toMatchObject({ counts: true, change: { crashes: 1 } });
  expect(judge(inFlight[0] ?? suspect)).toMatchObject({ counts: false, change: { suspect: 0, crashes: 0 } });
});

it('a crash with several suspects keeps all of them suspects, for longer', () => {
  const inFlight = [task('a', { suspect: 1 }), task('b', { suspect: 1 })];
  expect(judgeCrash(inFlight, AT)(inFlight[0] as TaskHead)).toMatchObject({
    counts: false,
    change: { suspect: 2 },
  });
  expect(probationMs(2)).toBeGreaterThan(probationMs(1));
});

it('says of a poisoned task which crashes speak against it', () => {
  let alone = task('a');
  const first = judgeCrash([alone], AT)(alone);
  expect(first).toMatchObject({ counts: true });
  expect(first.poison).toBeUndefined();
  alone = { ...alone, ...first.change };
  const { poison } = judgeCrash([alone, task('b'), task('c')], '2026-01-02T00:00:00.000Z')(alone);
  expect(poison).toBe(
    'The daemon died 2 times while this task ran: no other task was running (found 2026-01-01T00:00:00.000Z); ' +
      'it was the only suspect among 3 running tasks (found 2026-01-02T00:00:00.000Z)',
  );
});

it('a killer among many is found, whatever the others do', () => {
  // Suspects run one after the other; each crash is judged from what was in flight.
  let waiting = Array.from({ length: 10 }, (_, n) => task(`t${n}`));
  const apply = (inFlight: TaskHead[]) => {
    const judge = judgeCrash(inFlight, AT);
    return inFlight.map((each) => ({ task: { ...each, ...judge(each).change }, poison: judge(each).poison }));
  };
  waiting = apply(waiting).map(({ task: each }) => each);
  const poisoned: string[] = [];
  for (let crash = 0; crash < 5 && poisoned.length === 0; crash++) {
    const killer = waiting.find(({ id }) => id === 't7') as TaskHead;
    const [judged] = apply([killer]);
    if (judged?.poison !== undefined) poisoned.push(killer.id);
    waiting = waiting.map((each) => (each.id === 't7' && judged ? judged.task : each));
  }
  expect(poisoned).toEqual(['t7']);
  expect(waiting.filter(({ id, crashes }) => id !== 't7' && crashes > 0)).toEqual([]);
});
