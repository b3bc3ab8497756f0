import type { Task } from '../../contract/task.ts';
import type { CheckRound, TaskChecks } from '../../contract/verification.ts';
import { type Caller, requireOwned } from '../auth/caller.ts';
import type { Database } from '../storage/database.ts';
import { toTaskEvent } from './task-mapping.ts';
import type { TaskStore } from './task-store.ts';

const types = ['started', 'verification_started', 'verification_finished'];

/** Shows how the commands that verify tasks ended, round by round. */
export class TaskCheckReader {
  readonly #deps: { database: Database; store: Pick<TaskStore, 'find'> };
  constructor(deps: { database: Database; store: Pick<TaskStore, 'find'> }) {
    this.#deps = deps;
  }

  async read(caller: Caller, id: string): Promise<TaskChecks> {
    const { database, store } = this.#deps;
    const task = requireOwned(caller, await store.find(id), 'Task');
    const rows = await database.read
      .selectFrom('task_events')
      .select(['seq', 'type', 'at', 'message', 'data'])
      .where('task_seq', '=', task.seq)
      .where('type', 'in', types)
      .orderBy('seq')
      .execute();
    const rounds = roundsOf(
      rows.map((row) => toTaskEvent(id, row)),
      task.status === 'in_progress',
    );
    const verification =
      task.result === null ? undefined : (JSON.parse(task.result) as Task['result'])?.verification;
    const last = rounds.at(-1);
    // Only the result has the output of the last round.
    if (verification && last && last.round === verification.rounds) last.commands = verification.commands;
    const { changedFiles } = verification ?? {};
    return {
      taskId: id,
      commands: task.verify === null ? [] : (JSON.parse(task.verify) as string[]),
      ...(last && { status: last.status }),
      rounds,
      ...(changedFiles && { changedFiles }),
    };
  }
}

function roundsOf(events: readonly ReturnType<typeof toTaskEvent>[], isRunning: boolean): CheckRound[] {
  const rounds: CheckRound[] = [];
  let attempt = 1;
  for (const { type, at, data } of events) {
    const open = rounds.at(-1);
    if (type === 'verification_started')
      rounds.push({
        attempt,
        round: Number(data['round'] ?? 1),
        status: 'running',
        startedAt: at,
        commands: (data['commands'] as string[]).map((command) => ({ command })),
      });
    else if (type === 'verification_finished' && open?.status === 'running') {
      const { status, environment, commands } = data;
      Object.assign(open, { status, endedAt: at, environment, commands });
    } else if (type === 'started') {
      attempt = Number(data['attempt'] ?? 1);
      if (open?.status === 'running') open.status = 'interrupted';
    }
  }
  const last = rounds.at(-1);
  if (last?.status === 'running' && !isRunning) last.status = 'interrupted';
  return rounds;
}
