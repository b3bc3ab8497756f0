import { describe, expect, it } from 'vitest';
import type { Caller } from '../../../../src/core/auth/caller.ts';
import { silentLog } from '../../../../src/core/log.ts';
import { ExperienceService } from '../../../../src/core/memory/learned/experience-service.ts';
import { MemorySessionService } from '../../../../src/core/memory/learned/memory-session-service.ts';
import { PreferenceService } from '../../../../src/core/memory/learned/preference-service.ts';
import { systemRuntime as runtime } from '../../../../src/core/runtime.ts';
import { addUser, canRace, onBoth, openRace } from '../../../helpers/race.ts';
import type { TestStorage } from '../../../helpers/storage.ts';
import { FakeIndex, likely } from './learned-fixture.ts';

const ann: Caller = { userId: 'user_ann', role: 'user' };
const preferencesOf = ({ database }: TestStorage) => new PreferenceService({ database, runtime });
const sessionsOf = ({ database }: TestStorage) => new MemorySessionService({ database, runtime });
const experiencesOf = ({ database }: TestStorage) =>
  new ExperienceService({ database, runtime, entries: new FakeIndex(), log: silentLog });

describe.skipIf(!canRace)('two daemons (needs PostgreSQL)', () => {
  it('count every repetition of a preference', async () => {
    await using race = await openRace();
    await addUser(race.one, ann.userId);
    await onBoth(race, 100, (storage) =>
      preferencesOf(storage).track(ann, { category: 'theme', value: 'dark' }),
    );
    expect(await preferencesOf(race.one).list(ann, 'me')).toMatchObject([{ count: 200 }]);
  });

  it('lower the confidence of the values of one category without waiting in a circle', async () => {
    await using race = await openRace();
    await addUser(race.one, ann.userId);
    const track = (storage: TestStorage, value: string) =>
      preferencesOf(storage).track(ann, { category: 'theme', value });
    const tracked = await Promise.allSettled(
      Array.from({ length: 40 }, () => [track(race.one, 'dark'), track(race.other, 'light')]).flat(),
    );
    expect(tracked.filter(({ status }) => status === 'rejected')).toEqual([]);
    const stored = await preferencesOf(race.one).list(ann, 'me');
    expect(stored.map(({ count }) => count)).toEqual([40, 40]);
  });

  it('lose no use of an experience', async () => {
    await using race = await openRace();
    await addUser(race.one, ann.userId);
    const { id } = await experiencesOf(race.one).record(ann, likely);
    await onBoth(race, 3, (storage) => experiencesOf(storage).use(ann, id));
    // A tenth of the distance to 2 each time.
    expect(await experiencesOf(race.one).get(ann, id)).toMatchObject({
      useCount: 6,
      weight: expect.closeTo(2 - 0.9 ** 6, 12),
    });
  });

  it('archive a memory session once', async () => {
    await using race = await openRace();
    await addUser(race.one, ann.userId);
    const names = Array.from({ length: 20 }, (_, at) => `Session ${at}`);
    for (const name of names) {
      const { id } = await sessionsOf(race.one).create(ann, { name });
      const archived = await onBoth(race, 1, (storage) => sessionsOf(storage).archive(ann, id));
      expect(archived.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    }
  });
});
