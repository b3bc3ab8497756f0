import type { Client } from '../../../contract/client.ts';
import type { TaskEvent } from '../../../contract/task.ts';
import type { OutputName } from '../../../contract/task-output.ts';
import { isTransient } from '../../connection/is-transient.ts';

interface WholeLogDeps {
  client: Client;
  taskId: string;
  /** Whether the attempt in progress is read to its end. */
  follow: boolean;
  print: (event: TaskEvent) => void;
  /** Resolves once more can be printed. */
  drained: () => Promise<void>;
}

/**
 * The log of a task with all of its output. Events store only the beginning of a long output; the rest is read from
 * where they stop, and events after it wait until it is printed.
 */
export class WholeLog {
  readonly #deps: WholeLogDeps;
  #startedAt: string | undefined;
  #copies = new Set<Promise<void>>();
  #held: TaskEvent[] = [];
  #failure: { error: unknown } | undefined;

  constructor(deps: WholeLogDeps) {
    this.#deps = deps;
  }

  add(event: TaskEvent): void {
    const isOutput = event.type === 'output';
    if (this.#held.length > 0 || (this.#copies.size > 0 && !isOutput)) return void this.#held.push(event);
    if (event.type === 'started') this.#startedAt = event.at;
    const cut = cutOf(event);
    if (!cut) return this.#deps.print(event);
    const copy = this.#copy(event, cut)
      .catch((error: unknown) => void (this.#failure ??= { error }))
      .finally(() => {
        this.#copies.delete(copy);
        if (this.#copies.size > 0) return;
        for (const held of this.#held.splice(0)) this.add(held);
      });
    this.#copies.add(copy);
  }

  /** Resolves once everything is printed. */
  async settled(): Promise<void> {
    while (this.#copies.size > 0) await Promise.all(this.#copies);
    if (this.#failure) throw this.#failure.error;
  }

  /** Prints the rest of a stream, or the note that events end here where only a later attempt has its output. */
  async #copy(event: TaskEvent, { stream, offset }: { stream: OutputName; offset: number }): Promise<void> {
    const { client, taskId: id, follow, print, drained } = this.#deps;
    const { task } = await client.tasks.get({ params: { id } });
    if (task.startedAt !== this.#startedAt) return print(event);
    const decoder = new TextDecoder();
    const printText = (message: string) => {
      if (message !== '') print({ ...event, message, data: { stream } });
    };
    try {
      // A command may be silent for long.
      const pieces = client.tasks.getOutput(
        { params: { id }, query: { stream, offset, follow } },
        { silenceMs: 0 },
      );
      for await (const piece of pieces) {
        printText(decoder.decode(piece, { stream: true }));
        await drained();
      }
      printText(decoder.decode());
    } catch (error) {
      if (!isTransient(error)) throw error;
      // The events show what comes next.
      print(event);
    }
  }
}

/** Where the events of a stream stop; undefined for other events, and those of an earlier daemon. */
function cutOf({ type, data }: TaskEvent): { stream: OutputName; offset: number } | undefined {
  const { truncated, stream, offset } = data;
  if (type !== 'output' || truncated !== true || typeof offset !== 'number') return undefined;
  return stream === 'stdout' || stream === 'stderr' ? { stream, offset } : undefined;
}
