import type { OutputName } from '../../../contract/task-output.ts';
import type { AgentRun } from '../agent-adapter.ts';
import { OutputCapture } from '../../processes/output-capture.ts';
import { TextBatcher } from '../../text/text-batcher.ts';
import { type TextPiece, Utf8Pieces } from '../../text/utf8-pieces.ts';

/** The limit of each stream in the result. */
const RESULT_BYTES = 1024 * 1024;
/** The part of each stream that events store; the rest is only in the files of the task. */
const EVENT_BYTES = 512 * 1024;

/** Publishes one output stream of a command as it comes, and captures it for the result. */
export class CommandStream {
  readonly #run: Pick<AgentRun, 'emit' | 'publishOutput'>;
  readonly #name: OutputName;
  readonly #capture = new OutputCapture({ limitBytes: RESULT_BYTES });
  readonly #decoder = new Utf8Pieces();
  readonly #batcher = new TextBatcher((text) => this.#publish(text));
  /** In bytes: what was published, and what waits in the batcher. */
  #published = 0;
  #waiting = 0;
  #isCut = false;

  constructor(run: Pick<AgentRun, 'emit' | 'publishOutput'>, name: OutputName) {
    this.#run = run;
    this.#name = name;
  }

  push(chunk: Buffer): void {
    this.#capture.push(chunk);
    this.#batch(this.#decoder.push(chunk));
  }

  /** Publishes what waits; answers what the result keeps. */
  finish(): string {
    this.#batch(this.#decoder.end());
    this.#batcher.flush();
    return this.#capture.finish();
  }

  #batch({ text, bytes }: TextPiece): void {
    this.#waiting += bytes;
    if (text !== '') this.#batcher.push(text);
  }

  #publish(text: string): void {
    const stream = this.#name;
    const [offset, bytes] = [this.#published, this.#waiting];
    this.#published += bytes;
    this.#waiting = 0;
    if (offset < EVENT_BYTES)
      return this.#run.emit({ type: 'output', message: text, data: { stream, offset, bytes } });
    if (!this.#isCut)
      this.#run.emit({
        type: 'output',
        message: '[… the rest is in the output of the task …]\n',
        data: { stream, offset, truncated: true },
      });
    this.#isCut = true;
    this.#run.publishOutput({ stream, offset, bytes, text });
  }
}
