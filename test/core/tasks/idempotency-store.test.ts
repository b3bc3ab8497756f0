import { describe, expect, it } from 'vitest';
import { IdempotencyStore } from '../../../src/core/tasks/idempotency-store.ts';
import { openStorage } from '../../helpers/storage.ts';

const request = { ownerId: 'ann', scope: 'POST /a', key: 'k', body: { a: [1, 'x'] } };
const at = (hours: number) => new Date(Date.parse('2026-01-01T00:00:00.000Z') + hours * 3_600_000);

describe('an idempotency key', () => {
  it('an idempotency key consists of its owner, its route and its text', async () => {
    await using storage = await openStorage();
    const { database } = storage;
    const keys = new IdempotencyStore(database);
    await database.write((transaction) =>
      keys.insert(transaction, request, { answer: 1 }, at(0).toISOString()),
    );
    expect(await keys.find(database.read, request)).toEqual({ answer: 1 });
    for (const other of [{ ownerId: 'bob' }, { scope: 'POST /b' }, { key: 'K' }])
      expect(await keys.find(database.read, { ...request, ...other })).toBeUndefined();
    await expect(keys.find(database.read, { ...request, body: { a: [1] } })).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('keeps an idempotency key for a day', async () => {
    await using storage = await openStorage();
    const { database } = storage;
    const keys = new IdempotencyStore(database);
    await database.write((transaction) => keys.insert(transaction, request, 'kept', at(0).toISOString()));
    await keys.deleteOld(at(23.99));
    expect(await keys.find(database.read, request)).toBe('kept');
    await keys.deleteOld(at(24.01));
    expect(await keys.find(database.read, request)).toBeUndefined();
  });
});
