import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { ReportStart, StartStep } from '../contract/start-step.ts';
import { version } from '../core/version.ts';

/** How often the progress of one step is written. */
const WRITE_EVERY_MS = 200;
/** How often the file is touched while the daemon starts. */
const TOUCH_EVERY_MS = 1000;

const touchInThread = `
  const { workerData: { path, everyMs } } = require('node:worker_threads');
  const { utimesSync } = require('node:fs');
  setInterval(() => {
    try {
      utimesSync(path, new Date(), new Date());
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }, everyMs);
`;

export interface DaemonFileDeps {
  path: string;
  /** Milliseconds that never jump. */
  monotonic: () => number;
  now: () => Date;
}

/** What a daemon writes about itself for the clients on its machine; the holder of the data lock alone may write it. */
export class DaemonFile {
  readonly #deps: DaemonFileDeps;
  #toucher: Worker | undefined;
  #text = '';
  #writtenAt = 0;

  constructor(deps: DaemonFileDeps) {
    this.#deps = deps;
  }

  /** Writes what the daemon does before it accepts requests; from then on, the file is touched every second. */
  starting: ReportStart = (step: StartStep) => {
    const now = this.#deps.monotonic();
    if (step.text === this.#text && now - this.#writtenAt < WRITE_EVERY_MS) return;
    this.#text = step.text;
    this.#writtenAt = now;
    this.#write({ starting: step });
    // A thread, because one statement of an upgrade blocks this one for as long as it takes.
    this.#toucher ??= touch(this.#deps.path);
  };

  /** Writes where the daemon accepts requests. */
  async ready(url: string): Promise<void> {
    await this.#stopTouching();
    this.#write({ url });
  }

  /** The start failed: removes the file, if it was written for this start. */
  async failed(): Promise<void> {
    if (this.#toucher) await this.remove();
  }

  /** The daemon runs no more. */
  async remove(): Promise<void> {
    await this.#stopTouching();
    rmSync(this.#deps.path, { force: true });
  }

  async #stopTouching(): Promise<void> {
    await this.#toucher?.terminate();
    this.#toucher = undefined;
  }

  #write(fields: { url: string } | { starting: StartStep }): void {
    const { path, now } = this.#deps;
    const description = { pid: process.pid, ...fields, version, startedAt: now().toISOString() };
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, `${JSON.stringify(description)}\n`, { mode: 0o600 });
    renameSync(temporary, path);
  }
}

function touch(path: string): Worker {
  const worker = new Worker(touchInThread, { eval: true, workerData: { path, everyMs: TOUCH_EVERY_MS } });
  worker.unref();
  return worker;
}
