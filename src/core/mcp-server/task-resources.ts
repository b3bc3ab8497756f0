import type { Caller } from '../auth/caller.ts';
import type { WorktreeChanges } from '../changes/worktree-changes.ts';
import type { TaskListService } from '../tasks/task-list-service.ts';
import type { TaskOutputReader } from '../tasks/task-output-reader.ts';
import { type TaskPart, taskParts } from './task-uris.ts';

const RECENT = 20;
/** The end is what matters of an output that is too long for a model. */
const MAX_BYTES = 256 * 1024;

export interface TaskResourceDeps {
  taskLists: Pick<TaskListService, 'list'>;
  taskOutputReader: Pick<TaskOutputReader, 'open'>;
  worktreeChanges: Pick<WorktreeChanges, 'patch'>;
}

/** A text, which is only the end of something of `cutFrom` bytes where that is set. */
interface ReadText {
  text: string;
  cutFrom?: number;
}

/** What clients read of tasks, with the checks of the services below. */
export class TaskResources {
  readonly #deps: TaskResourceDeps;
  constructor(deps: TaskResourceDeps) {
    this.#deps = deps;
  }

  /** The resources of the newest tasks. */
  async recent(caller: Caller): Promise<{ id: string; part: TaskPart; title: string }[]> {
    return (await this.#newest(caller)).flatMap(({ id, title = id, outcome }) =>
      taskParts
        .filter((part) => part === 'output' || outcome?.changes !== undefined)
        .map((part) => ({ id, part, title: `${part === 'output' ? 'Output' : 'Changes'}: ${title}` })),
    );
  }

  async recentIds(caller: Caller): Promise<string[]> {
    return (await this.#newest(caller)).map(({ id }) => id);
  }

  async read(caller: Caller, { id, part }: { id: string; part: TaskPart }): Promise<ReadText> {
    if (part === 'diff') return endOf(await this.#deps.worktreeChanges.patch(caller, id));
    const source = await this.#deps.taskOutputReader.open(caller, id, 'stdout');
    const start = Math.max(0, source.size - MAX_BYTES);
    const pieces: Buffer[] = [];
    for await (const piece of source.read(start, source.size)) pieces.push(piece);
    return { text: Buffer.concat(pieces).toString('utf8'), ...(start > 0 && { cutFrom: source.size }) };
  }

  async #newest(caller: Caller) {
    const { tasks } = await this.#deps.taskLists.list(caller, {
      limit: RECENT,
      fields: ['id', 'title', 'outcome'],
    });
    return tasks;
  }
}

function endOf(bytes: Buffer): ReadText {
  const isCut = bytes.length > MAX_BYTES;
  return {
    text: bytes.subarray(isCut ? bytes.length - MAX_BYTES : 0).toString('utf8'),
    ...(isCut && { cutFrom: bytes.length }),
  };
}
