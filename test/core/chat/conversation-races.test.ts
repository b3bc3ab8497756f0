import { describe, expect, it } from 'vitest';
import { addUser, canRace, onBoth, openRace } from '../../helpers/race.ts';
import type { TestStorage } from '../../helpers/storage.ts';
import { ann, chatOver } from './chat-parts.ts';

const conversationsOf = (storage: TestStorage) => chatOver(storage).conversations;

describe.skipIf(!canRace)('two daemons (needs PostgreSQL)', () => {
  it('number the messages of a conversation without a gap', async () => {
    await using race = await openRace();
    await addUser(race.one, ann.userId);
    const { id } = await conversationsOf(race.one).create(ann, { title: 'Shared', presetId: 'assistant' });
    const appended = await onBoth(race, 30, (storage) =>
      conversationsOf(storage).append(ann, id, { role: 'user', content: 'Hello' }),
    );
    expect(appended.filter(({ status }) => status === 'rejected')).toEqual([]);
    const messages = await race.one.database.read
      .selectFrom('messages')
      .select('seq')
      .orderBy('seq')
      .execute();
    expect(messages.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
  });

  it('leave no message of a conversation that one of them removes', async () => {
    await using race = await openRace();
    await addUser(race.one, ann.userId);
    for (let round = 0; round < 10; round++) {
      const { id } = await conversationsOf(race.one).create(ann, { title: 'Gone', presetId: 'assistant' });
      const [, removed] = await Promise.allSettled([
        conversationsOf(race.one).append(ann, id, { role: 'user', content: 'Hello' }),
        conversationsOf(race.other).remove(ann, id),
      ]);
      expect(removed.status).toBe('fulfilled');
    }
    expect(await race.one.database.read.selectFrom('messages').selectAll().execute()).toEqual([]);
  });
});
