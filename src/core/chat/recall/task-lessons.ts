import type { ToolCall } from '../../../contract/conversations.ts';
import type { Experience, Origin } from '../../../contract/experiences.ts';
import type { TaskError } from '../../../contract/task.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../../storage/database.ts';
import type { TaskEndings } from '../../tasks/task-endings.ts';
import { type StoredTask, toTask } from '../../tasks/task-mapping.ts';
import type { TaskStore } from '../../tasks/task-store.ts';
import type { ExperienceService } from '../../memory/learned/experience-service.ts';
import { type EarlierFailure, lessonOf } from './lesson.ts';
import { stepsOf } from './run-steps.ts';

export interface TaskLessonsDeps {
  database: Database;
  store: Pick<TaskStore, 'find'>;
  endings: TaskEndings;
  experiences: Pick<ExperienceService, 'record' | 'use'>;
  config: Config;
  log: Log;
}

/** A run of an agent that came to its end. */
export interface EndedRun {
  answer: string;
  calls: readonly ToolCall[];
  /** Ids of the experiences that it was told. */
  recalled: readonly string[];
  /** Whether a stranger's words may have had a part in it. */
  isTainted: boolean;
  conversationId?: string | undefined;
}

/** What is left of a run for the time until its task has ended. */
interface Expected extends Omit<EndedRun, 'calls'> {
  steps: string[];
}

/** Learns from tasks that went well, once that is stored; nobody waits for it, and a crash may lose it. */
export class TaskLessons {
  readonly #deps: TaskLessonsDeps;
  readonly #expected = new Map<string, () => void>();
  readonly #learning = new Set<Promise<void>>();
  constructor(deps: TaskLessonsDeps) {
    this.#deps = deps;
  }

  /** What the run came to counts as soon as its task is completed. */
  learnOnCompletion(taskId: string, { calls, ...ended }: EndedRun): void {
    const run: Expected = { ...ended, steps: stepsOf(calls) };
    // An earlier end that could not be stored is overtaken.
    this.#expected.get(taskId)?.();
    const stop = this.#deps.endings.watch(taskId, () => {
      stop();
      this.#expected.delete(taskId);
      const learning = this.#learn(taskId, run)
        .catch((error: unknown) => this.#note(taskId, error, 'nothing was learned from a task'))
        .finally(() => this.#learning.delete(learning));
      this.#learning.add(learning);
    });
    this.#expected.set(taskId, stop);
  }

  /** Resolves when what is being learned is stored. */
  async close(): Promise<void> {
    for (const stop of this.#expected.values()) stop();
    this.#expected.clear();
    await Promise.all(this.#learning);
  }

  async #learn(taskId: string, run: Expected): Promise<void> {
    const { store, config, experiences } = this.#deps;
    const row = await store.find(taskId);
    if (row?.status !== 'completed') return;
    const caller: Caller = { userId: row.owner_id, role: 'user' };
    const used = await this.#use(caller, taskId, run.recalled);
    // What a stranger asked for is no experience of the owner.
    if (!config.get('memory.learn') || row.is_trusted !== 1) return;
    const lesson = lessonOf(toTask(row), run.answer, run.steps, await this.#failureBefore(row));
    // What was known and has helped again weighs more by that; it is not learned twice.
    if (!lesson || used.some(({ intent, type }) => intent === lesson.intent && type === lesson.type)) return;
    const origin: Origin = {
      kind: 'task',
      userId: row.owner_id,
      taskId,
      ...(run.conversationId !== undefined && { conversationId: run.conversationId }),
      trusted: !run.isTainted,
    };
    await experiences.record(caller, lesson, origin);
  }

  async #use(caller: Caller, taskId: string, ids: readonly string[]): Promise<Experience[]> {
    const used: Experience[] = [];
    for (const id of ids)
      try {
        used.push(await this.#deps.experiences.use(caller, id));
      } catch (error) {
        // It may be forgotten by now.
        this.#note(taskId, error, 'an experience could not be marked as used');
      }
    return used;
  }

  /** Of an earlier attempt, or of the task that this one tries again. */
  async #failureBefore({ seq, attempts, retried_from }: StoredTask): Promise<EarlierFailure | undefined> {
    const { database, store } = this.#deps;
    if (attempts > 1) {
      const event = await database.read
        .selectFrom('task_events')
        .select(['message', 'data'])
        .where('task_seq', '=', seq)
        .where('type', '=', 'retry_scheduled')
        .orderBy('seq', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (event) return { code: codeOf(event.data), message: event.message };
    }
    const old = retried_from === null ? undefined : await store.find(retried_from);
    return old?.error ? (JSON.parse(old.error) as TaskError) : undefined;
  }

  /** What the write gate refuses, or what is gone, is no fault. */
  #note(taskId: string, error: unknown, message: string): void {
    const { log } = this.#deps;
    if (error instanceof AppError) log.debug({ taskId, reason: error.message }, message);
    else log.error({ taskId, err: error }, message);
  }
}

function codeOf(data: string): string {
  const { code } = JSON.parse(data) as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}
