import type { OutputStream, SearchOutputQuery, SearchOutputResult } from '../../contract/task-output.ts';
import { type Caller, requireOwned } from '../auth/caller.ts';
import { AppError } from '../errors.ts';
import type { Runtime } from '../runtime.ts';
import type { AgentTexts } from './agent-texts.ts';
import { type OutputSource, textSource } from './output-source.ts';
import { searchOutput } from './search-output.ts';
import { type StoredTask, toTask } from './task-mapping.ts';
import type { TaskOutputs } from './task-outputs.ts';
import { isTerminal } from './task-states.ts';
import type { TaskStore } from './task-store.ts';

export interface TaskOutputReaderDeps {
  store: TaskStore;
  outputs: TaskOutputs;
  texts: AgentTexts;
  runtime: Pick<Runtime, 'monotonic'>;
}

/** Reads what agents printed and said, on behalf of a caller. */
export class TaskOutputReader {
  readonly #deps: TaskOutputReaderDeps;
  constructor(deps: TaskOutputReaderDeps) {
    this.#deps = deps;
  }

  /**
   * One stream of the latest attempt, as it is now. Where its files are gone, or its agent has none, the answer in the
   * result of the task is what it printed to stdout, and what it said if no event has a text.
   */
  async open(caller: Caller, id: string, stream: OutputStream): Promise<OutputSource> {
    return this.#sourceOf(await this.#find(caller, id), stream);
  }

  /** One stream from a byte on, until the attempt in progress has ended. */
  async follow(
    caller: Caller,
    id: string,
    { stream, offset }: { stream: OutputStream; offset: number },
    signal: AbortSignal,
  ): Promise<AsyncIterable<Buffer>> {
    if (stream === 'text')
      throw new AppError('validation', 'Only stdout and stderr can be followed; text comes with the events');
    const task = await this.#find(caller, id);
    const { outputs } = this.#deps;
    if (outputs.has(id)) return outputs.read(id, stream, { offset, follow: true, signal });
    const source = await this.#sourceOf(task, stream);
    return source.read(offset, source.size);
  }

  /** Finds a text in one stream, from a byte on. */
  async search(
    caller: Caller,
    id: string,
    query: SearchOutputQuery,
    signal: AbortSignal,
  ): Promise<SearchOutputResult> {
    const { monotonic } = this.#deps.runtime;
    const source = await this.open(caller, id, query.stream);
    const { hits, nextOffset } = await searchOutput(source, query, { monotonic, signal });
    return {
      taskId: id,
      stream: query.stream,
      size: source.size,
      hits,
      count: hits.length,
      hasMore: nextOffset !== undefined,
      ...(nextOffset !== undefined && { nextOffset }),
    };
  }

  async #find(caller: Caller, id: string): Promise<StoredTask> {
    return requireOwned(caller, await this.#deps.store.find(id), 'Task');
  }

  async #sourceOf(task: StoredTask, stream: OutputStream): Promise<OutputSource> {
    const { outputs, texts } = this.#deps;
    if (stream === 'text') {
      const said = await texts.source(task);
      if (said.size > 0) return said;
    } else if (outputs.has(task.id)) return outputs.source(task.id, stream);
    const answer = stream === 'stderr' ? '' : (toTask(task).result?.output ?? '');
    const tag = isTerminal(task.status) ? `a${task.fence}-${answer.length}` : undefined;
    return textSource(answer, tag);
  }
}
