import type { Client } from '../../../contract/client.ts';
import type { OutputName } from '../../../contract/task-output.ts';
import { isTransient } from '../../connection/is-transient.ts';

const { createHash } = process.getBuiltinModule('node:crypto');

interface CopyDeps {
  client: Client;
  taskId: string;
  stream: OutputName;
  /** Resolves once more can be taken. */
  write(piece: Uint8Array): Promise<void>;
  /** Called when a new attempt prints something else than the one before, of which some is written already. */
  onDifferent(): void;
}

/**
 * Copies one output stream of a task, byte for byte and as it is written. An attempt that starts again from the beginning,
 * because the daemon was restarted, is written only from where it goes beyond what is written already.
 */
export class OutputCopy {
  readonly #deps: CopyDeps;
  #written = 0;
  #hash = createHash('sha256');
  #isNewAttempt = false;
  #isWaiting = false;
  #before: Promise<void> = Promise.resolve();

  constructor(deps: CopyDeps) {
    this.#deps = deps;
  }

  get hasWritten(): boolean {
    return this.#written > 0;
  }

  /** Says that the output starts again. */
  startAttempt(): void {
    this.#isNewAttempt = this.#written > 0;
  }

  /** Copies what the attempt in progress prints, until it ends. */
  follow(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    this.#before = this.#before.then(() => {
      this.#isWaiting = false;
      return this.#copy(true);
    });
    // `finish` reports it.
    this.#before.catch(() => undefined);
  }

  /** Resolves once everything that a finished task printed is written. */
  async finish(): Promise<void> {
    await this.#before;
    await this.#copy(false);
  }

  async #copy(follow: boolean): Promise<void> {
    try {
      if (this.#isNewAttempt && !(await this.#skipWritten(follow))) {
        this.#deps.onDifferent();
        this.#written = 0;
        this.#hash = createHash('sha256');
      }
      this.#isNewAttempt = false;
      for await (const piece of this.#read(this.#written, follow)) await this.#write(piece);
    } catch (error) {
      // The events of the task show what comes next; the end is read again in any case.
      if (!follow || !isTransient(error)) throw error;
    }
  }

  /** Whether the new attempt prints first what is written already. */
  async #skipWritten(follow: boolean): Promise<boolean> {
    const hash = createHash('sha256');
    let missing = this.#written;
    for await (const piece of this.#read(0, follow)) {
      hash.update(piece.subarray(0, missing));
      missing -= Math.min(missing, piece.length);
      if (missing === 0) break;
    }
    return missing === 0 && hash.digest('hex') === this.#hash.copy().digest('hex');
  }

  async #write(piece: Uint8Array): Promise<void> {
    this.#hash.update(piece);
    this.#written += piece.length;
    await this.#deps.write(piece);
  }

  #read(offset: number, follow: boolean) {
    const { client, taskId, stream } = this.#deps;
    return client.tasks.getOutput(
      { params: { id: taskId }, query: { stream, offset, follow } },
      // A command may be silent for long.
      { silenceMs: 0 },
    );
  }
}
