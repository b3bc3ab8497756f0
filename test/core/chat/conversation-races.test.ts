import { describe, expect, it } from 'vitest';
import { addUser, canRace, openRace, overlap } from '../../helpers/race.ts';
import type { TestStorage } from '../../helpers/storage.ts';
import { ann, chatOver } from './chat-parts.ts';

const conversationsOf = (storage: TestStorage) => chatOver(storage).conversations;

async function openConversationRace() {
  const race = await openRace();
  await addUser(race.one, ann.userId);
  const { id } = await conversationsOf(race.one).create(ann, { title: 'Shared', presetId: 'assistant' });
  const append = (storage: TestStorage) =>
    conversationsOf(storage).append(ann, id, { role: 'user', content: 'Hello' });
  const messages = () => race.one.database.read.selectFrom('messages').select('seq').orderBy('seq').execute();
  return { ...race, id, append, messages };
}

describe.skipIf(!canRace)('two daemons (needs PostgreSQL)', () => {
  it('number the messages of a conversation without a gap', async () => {
    await using race = await openConversationRace();
    const appended = await overlap(race, race.append, race.append);
    expect(appended).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(await race.messages()).toEqual([{ seq: 1 }, { seq: 2 }]);
    const { conversation } = await conversationsOf(race.one).get(ann, race.id);
    expect(conversation.messageCount).toBe(2);
  });

  it('leave no message of a conversation that one of them removes', async () => {
    await using race = await openConversationRace();
    const remove = (storage: TestStorage) => conversationsOf(storage).remove(ann, race.id);
    const outcomes = await overlap(race, race.append, remove);
    expect(outcomes).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }]);
    expect(await race.messages()).toEqual([]);
  });
});
