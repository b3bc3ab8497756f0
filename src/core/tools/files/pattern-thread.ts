import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ToolFailure } from '../tool.ts';

/** The time limit of a request; a pattern that does not backtrack needs a hundredth of it. */
const LIMIT_MS = 5000;
const MEMORY_MIB = 256;

/** A line that matched, or a line of context. */
export interface FoundLine {
  /** The index of the file in the request. */
  file: number;
  line: number;
  isMatch: boolean;
  text: string;
}

interface Patterns {
  path?: RegExp | undefined;
  line?: RegExp | undefined;
}

const inThread = `
  const { parentPort, workerData } = require('node:worker_threads');
  const MAX_TEXT = 400;

  function cut(line, at) {
    if (line.length <= MAX_TEXT) return line;
    const from = Math.max(0, Math.min(at - 100, line.length - MAX_TEXT));
    const to = from + MAX_TEXT;
    return (from > 0 ? '…' : '') + line.slice(from, to) + (to < line.length ? '…' : '');
  }

  function search(bytes, file, { context, maxMatches }, found) {
    if (bytes.subarray(0, 8192).includes(0)) return;
    const lines = new TextDecoder().decode(bytes).split(/\\r?\\n/);
    if (lines.at(-1) === '') lines.pop();
    const matches = new Map();
    for (let at = 0; at < lines.length && found.matches < maxMatches; at++) {
      const match = workerData.line.exec(lines[at]);
      if (!match) continue;
      matches.set(at, match.index);
      found.matches++;
    }
    let next = 0;
    for (const at of matches.keys())
      for (next = Math.max(next, at - context); next <= at + context && next < lines.length; next++) {
        const isMatch = matches.has(next);
        found.lines.push({ file, line: next + 1, isMatch, text: cut(lines[next], matches.get(next) ?? 0) });
      }
  }

  parentPort.on('message', (request) => {
    if (request.paths) return parentPort.postMessage(request.paths.map((path) => workerData.path.test(path)));
    const found = { matches: 0, lines: [] };
    request.files.forEach((bytes, file) => search(bytes, file, request, found));
    parentPort.postMessage(found.lines);
  });
`;

/**
 * Matches patterns of a model in a worker thread. A regular expression, also one made from a glob, can backtrack for years
 * on a short text, and only terminating its thread stops it. External search programs are not available everywhere.
 */
export class PatternThread implements AsyncDisposable {
  readonly #worker: Worker;
  readonly #signal: AbortSignal;
  readonly #limitMs: number;
  constructor(patterns: Patterns, signal: AbortSignal, limitMs = LIMIT_MS) {
    this.#worker = new Worker(inThread, {
      eval: true,
      execArgv: [],
      workerData: patterns,
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
    });
    // The pending request rejects; without a listener, the error would crash the process.
    this.#worker.on('error', () => undefined);
    this.#signal = signal;
    this.#limitMs = limitMs;
  }

  /** Whether each path matches; only one request at a time. */
  testPaths(paths: string[]): Promise<boolean[]> {
    return this.#request<boolean[]>({ paths }, []);
  }

  /** The lines that match, in the order of the files; transfers the buffers, so they are empty afterwards. */
  search(
    files: Uint8Array<ArrayBuffer>[],
    limits: { context: number; maxMatches: number },
  ): Promise<FoundLine[]> {
    return this.#request<FoundLine[]>(
      { files, ...limits },
      files.map(({ buffer }) => buffer),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  async #request<Response>(request: object, transfer: ArrayBuffer[]): Promise<Response> {
    const limit = AbortSignal.timeout(this.#limitMs);
    try {
      const response = once(this.#worker, 'message', { signal: AbortSignal.any([this.#signal, limit]) });
      this.#worker.postMessage(request, transfer);
      return (await response)[0] as Response;
    } catch (cause) {
      await this.#worker.terminate();
      this.#signal.throwIfAborted();
      const what = limit.aborted ? 'time' : 'memory';
      throw new ToolFailure(`The pattern takes too much ${what}. Make it simpler, or search fewer files`, {
        cause,
      });
    }
  }
}
