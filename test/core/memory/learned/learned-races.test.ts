import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/core/log.ts';
import { ExperienceService } from '../../../../src/core/memory/learned/experience-service.ts';
import { MemorySessionService } from '../../../../src/core/memory/learned/memory-session-service.ts';
import { PreferenceService } from '../../../../src/core/memory/learned/preference-service.ts';
import { systemRuntime as runtime } from '../../../../src/core/runtime.ts';
import { addUser, canRace, openRace, overlap } from '../../../helpers/race.ts';
import type { TestStorage } from '../../../helpers/storage.ts';
import { ann, FakeIndex, likely } from './learned-fixture.ts';

const preferencesOf = ({ database }: TestStorage) => new PreferenceService({ database, runtime });
const sessionsOf = ({ database }: TestStorage) => new MemorySessionService({ database, runtime });
const experiencesOf = ({ database }: TestStorage) =>
  new ExperienceService({ database, runtime, entries: new FakeIndex(), log: silentLog });

async function openLearnedRace() {
  const race = await openRace();
  await addUser(race.one, ann.userId);
  return race;
}

describe.skipIf(!canRace)('two daemons (needs PostgreSQL)', () => {
  it('count every repetition of a preference', async () => {
    await using race = await openLearnedRace();
    const track = (storage: TestStorage) =>
      preferencesOf(storage).track(ann, { category: 'theme', value: 'dark' });
    await track(race.one);
    await overlap(race, track, track);
    expect(await preferencesOf(race.one).list(ann, 'me')).toMatchObject([{ count: 3, confidence: 0.875 }]);
  });

  it('lower the confidence of a value that the other one has just stored', async () => {
    await using race = await openLearnedRace();
    const track = (value: string) => (storage: TestStorage) =>
      preferencesOf(storage).track(ann, { category: 'theme', value });
    await overlap(race, track('dark'), track('light'));
    expect(await preferencesOf(race.one).list(ann, 'me')).toMatchObject([
      { value: 'light', confidence: 0.5 },
      { value: 'dark', confidence: 0.25 },
    ]);
  });

  it('lose no use of an experience, and no decay', async () => {
    await using race = await openLearnedRace();
    const { id } = await experiencesOf(race.one).record(ann, likely);
    const use = (storage: TestStorage) => experiencesOf(storage).use(ann, id);
    await overlap(race, use, use);
    expect(await experiencesOf(race.one).get(ann, id)).toMatchObject({
      useCount: 2,
      // A tenth of the distance to 2 each time.
      weight: expect.closeTo(2 - 0.9 ** 2, 12),
    });
    const { weight } = await use(race.one);
    await overlap(race, use, (storage) => experiencesOf(storage).decay(ann, 1e-9));
    const decayed = await experiencesOf(race.one).get(ann, id);
    expect(decayed.useCount).toBe(4);
    expect(decayed.weight).toBeLessThan(weight / 1000);
  });

  it('archive a memory session once', async () => {
    await using race = await openLearnedRace();
    const { id } = await sessionsOf(race.one).create(ann, { name: 'Work' });
    const archive = (storage: TestStorage) => sessionsOf(storage).archive(ann, id);
    const [first, second] = await overlap(race, archive, archive);
    expect([first.status, second]).toMatchObject(['fulfilled', { reason: { code: 'wrong_state' } }]);
  });
});
