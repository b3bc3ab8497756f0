import type { CreateExperience } from '../../../../src/contract/experiences.ts';
import type { Caller } from '../../../../src/core/auth/caller.ts';
import { type Log, silentLog } from '../../../../src/core/log.ts';
import type { IndexEntry } from '../../../../src/core/memory/index/index-calls.ts';
import { ExperienceService } from '../../../../src/core/memory/learned/experience-service.ts';
import { wordsOf } from '../../../../src/core/memory/learned/fold-text.ts';
import { MemorySessionService } from '../../../../src/core/memory/learned/memory-session-service.ts';
import { PreferenceService } from '../../../../src/core/memory/learned/preference-service.ts';
import type { MemoryService } from '../../../../src/core/memory/memory-service.ts';
import { systemRuntime } from '../../../../src/core/runtime.ts';
import { openStorage } from '../../../helpers/storage.ts';

export const ann: Caller = { userId: 'user_ann', role: 'user' };
export const bob: Caller = { userId: 'user_bob', role: 'user' };
export const ada: Caller = { userId: 'user_ada', role: 'admin' };

export const DAY = 86_400_000;

/** Finds entries by shared words; a test can break or lose it. */
export class FakeIndex {
  readonly entries = new Map<string, IndexEntry>();
  /** Called at the first use of each new index, like the real thread. */
  onStart: () => void = () => undefined;
  isRunning = false;
  isBroken = false;

  readonly put: MemoryService['entries']['put'] = async (entries) => {
    this.#start();
    for (const entry of entries) this.entries.set(entry.key, entry);
  };
  readonly remove: MemoryService['entries']['remove'] = async (keys) => {
    this.#start();
    for (const key of keys) this.entries.delete(key);
  };
  readonly search: MemoryService['entries']['search'] = async (ownerId, text, limit) => {
    this.#start();
    const words = new Set(wordsOf(text));
    const found = [...this.entries.values()]
      .filter((entry) => ownerId === undefined || entry.ownerId === ownerId)
      .map(({ key, title, body, tags }) => {
        const own = new Set(wordsOf([title, body, ...tags].join(' ')));
        return { key, score: [...words].filter((word) => own.has(word)).length / words.size };
      })
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, limit);
    return { method: 'keyword', found };
  };

  /** The index stops and is empty when it is used again. */
  lose(): void {
    this.isRunning = false;
    this.entries.clear();
  }

  #start(): void {
    if (this.isBroken) throw new Error('The index is broken');
    if (this.isRunning) return;
    this.isRunning = true;
    this.onStart();
  }
}

/** Services over a real database with the test's clock and index. */
export async function openLearnedFixture(startAt = '2026-01-01T00:00:00.000Z') {
  const storage = await openStorage();
  const { database } = storage;
  let now = Date.parse(startAt);
  const runtime = { ...systemRuntime, now: () => new Date(now) };
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (_, message) => void warnings.push(message) };
  for (const { userId: id, role } of [ann, bob, ada])
    await database.write(({ db }) =>
      db
        .insertInto('users')
        .values({ id, email: id, name: id, role, onboarding_completed: 0, created_at: startAt })
        .execute(),
    );
  const index = new FakeIndex();
  const deps = { database, runtime, entries: index, log };
  const experiences = new ExperienceService(deps);
  const failures: unknown[] = [];
  index.onStart = () => void experiences.indexAll().catch((error: unknown) => failures.push(error));
  return {
    database,
    index,
    warnings,
    experiences,
    preferences: new PreferenceService(deps),
    sessions: new MemorySessionService(deps),
    setClock: (at: number | string) => void (now = typeof at === 'number' ? at : Date.parse(at)),
    clock: () => now,
    advanceDays: (days: number) => void (now += days * DAY),
    record: (change: Partial<CreateExperience> = {}, caller = ann, ...[origin]: [Origin?]) =>
      experiences.record(caller, { ...likely, ...change }, origin),
    addConversation: (owner: Caller, id: string) =>
      database.write(({ db }) =>
        db
          .insertInto('conversations')
          .values({
            id,
            owner_id: owner.userId,
            title: id,
            preset_id: 'assistant',
            task_id: null,
            cwd: null,
            message_count: 0,
            summary: null,
            summary_seq: 0,
            turn_fence: 0,
            turn_stop: 0,
            created_at: startAt,
            updated_at: startAt,
          })
          .execute(),
      ),
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  };
}
type Origin = Parameters<ExperienceService['record']>[2] & object;

export const likely: CreateExperience = {
  type: 'task_solution',
  intent: 'Fix the flaky login test',
  solution: ['Wait for the event, not for a time'],
  successScore: 1,
  tags: [],
};
