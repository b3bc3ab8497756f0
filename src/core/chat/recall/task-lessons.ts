import type { ToolCall } from '../../../contract/conversations.ts';
import type { Experience, Origin } from '../../../contract/experiences.ts';
import type { TaskError } from '../../../contract/task.ts';
import type { Caller } from '../../auth/caller.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Database } from '../../storage/database.ts';
import type { TaskFinishWatcher } from '../../tasks/task-finish-watcher.ts';
import { type StoredTask, toTask } from '../../tasks/task-mapping.ts';
import type { TaskStore } from '../../tasks/task-store.ts';
import type { ExperienceService } from '../../memory/learned/experience-service.ts';
import { isVerified, type PreviousFailure, lessonOf } from './lesson.ts';
import { stepsOf } from './run-steps.ts';

export interface TaskLessonsDeps {
  database: Database;
  store: Pick<TaskStore, 'find'>;
  finishWatcher: TaskFinishWatcher;
  experiences: Pick<ExperienceService, 'record' | 'use'>;
  config: Config;
  log: Log;
}

/** A finished run of an agent. */
export interface FinishedRun {
  answer: string;
  calls: readonly ToolCall[];
  /** Ids of the experiences included in its prompt. */
  recalled: readonly string[];
  /** Whether untrusted text may have influenced it. */
  isTainted: boolean;
  /** Whether calls were refused that would have changed something, so that it did not do all it set out to do. */
  hasRefusals: boolean;
  conversationId?: string | undefined;
  /** The directory of the project in which it worked. */
  project?: string | undefined;
}

/** What is kept of a run until its task has finished. */
interface PendingLesson extends Omit<FinishedRun, 'calls' | 'hasRefusals'> {
  steps: string[];
}

/** Records experiences from completed tasks in the background; a crash may lose one. */
export class TaskLessons {
  readonly #deps: TaskLessonsDeps;
  readonly #pending = new Map<string, () => void>();
  readonly #learning = new Set<Promise<void>>();
  constructor(deps: TaskLessonsDeps) {
    this.#deps = deps;
  }

  /** Records an experience from the run as soon as its task is completed. */
  learnOnCompletion(taskId: string, { calls, hasRefusals, ...finished }: FinishedRun): void {
    // Replaces an earlier finish that could not be stored.
    this.#pending.get(taskId)?.();
    if (hasRefusals) return;
    const run: PendingLesson = { ...finished, steps: stepsOf(calls) };
    const stop = this.#deps.finishWatcher.watch(taskId, () => {
      stop();
      this.#pending.delete(taskId);
      const learning = this.#learn(taskId, run)
        .catch((error: unknown) => this.#logFailure(taskId, error, 'nothing was learned from a task'))
        .finally(() => this.#learning.delete(learning));
      this.#learning.add(learning);
    });
    this.#pending.set(taskId, stop);
  }

  /** Resolves when pending experiences are stored. */
  async close(): Promise<void> {
    for (const stop of this.#pending.values()) stop();
    this.#pending.clear();
    await Promise.all(this.#learning);
  }

  async #learn(taskId: string, run: PendingLesson): Promise<void> {
    const { store, config, experiences } = this.#deps;
    const row = await store.find(taskId);
    if (row?.status !== 'completed') return;
    const caller: Caller = { userId: row.owner_id, role: 'user' };
    const used = await this.#markUsed(caller, taskId, run.recalled);
    // A task requested by an untrusted person is not an experience of its owner.
    if (!config.get('memory.learn') || row.is_trusted !== 1) return;
    const task = toTask(row);
    const verified = isVerified(task);
    const lesson = lessonOf(task, run.answer, run.steps, await this.#previousFailure(row));
    // A known experience that helped again has gained weight; it is not recorded twice, unless it is verified only now.
    const isKnown = ({ intent, type, origin }: Experience) =>
      intent === lesson?.intent && type === lesson.type && (!verified || origin.verified === true);
    if (!lesson || used.some(isKnown)) return;
    const origin: Origin = {
      kind: 'task',
      userId: row.owner_id,
      taskId,
      ...(run.conversationId !== undefined && { conversationId: run.conversationId }),
      trusted: !run.isTainted,
      verified,
    };
    await experiences.record(caller, lesson, origin, run.project);
  }

  async #markUsed(caller: Caller, taskId: string, ids: readonly string[]): Promise<Experience[]> {
    const used: Experience[] = [];
    for (const id of ids)
      try {
        used.push(await this.#deps.experiences.use(caller, id));
      } catch (error) {
        // It may have been removed meanwhile.
        this.#logFailure(taskId, error, 'an experience could not be marked as used');
      }
    return used;
  }

  /** The error of an earlier attempt, or of the task that this one retries. */
  async #previousFailure({ seq, attempts, retried_from }: StoredTask): Promise<PreviousFailure | undefined> {
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

  /** A rejection by the write gate or a removed experience is expected, so it is only a debug message. */
  #logFailure(taskId: string, error: unknown, message: string): void {
    const { log } = this.#deps;
    if (error instanceof AppError) log.debug({ taskId, reason: error.message }, message);
    else log.error({ taskId, err: error }, message);
  }
}

function codeOf(data: string): string {
  const { code } = JSON.parse(data) as { code?: unknown };
  return typeof code === 'string' ? code : 'unknown';
}
