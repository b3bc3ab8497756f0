import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { ToolFailure } from '../tool.ts';

/** How long one question may take; a pattern that does not backtrack needs a hundredth of it. */
const LIMIT_MS = 5000;
const MEMORY_MIB = 256;

/** A line that matched, or stands beside one that did. */
export interface FoundLine {
  /** Which of the files that were asked about. */
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

  parentPort.on('message', (question) => {
    if (question.paths) return parentPort.postMessage(question.paths.map((path) => workerData.path.test(path)));
    const found = { matches: 0, lines: [] };
    question.files.forEach((bytes, file) => search(bytes, file, question, found));
    parentPort.postMessage(found.lines);
  });
`;

/**
 * Tries patterns of a model in a thread of its own. A regular expression, and what a glob becomes, can take years on a
 * short text, and nothing but the end of its thread stops it; a program for searching is not on every machine.
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
    // Whoever waits for an answer hears of it; without a listener here it would end the process.
    this.#worker.on('error', () => undefined);
    this.#signal = signal;
    this.#limitMs = limitMs;
  }

  /** For each path whether it matches; one question at a time. */
  testPaths(paths: string[]): Promise<boolean[]> {
    return this.#ask<boolean[]>({ paths }, []);
  }

  /** The lines that match, each file in its order; the files' bytes are gone afterwards. */
  search(
    files: Uint8Array<ArrayBuffer>[],
    limits: { context: number; maxMatches: number },
  ): Promise<FoundLine[]> {
    return this.#ask<FoundLine[]>(
      { files, ...limits },
      files.map(({ buffer }) => buffer),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }

  async #ask<Answer>(question: object, transfer: ArrayBuffer[]): Promise<Answer> {
    const limit = AbortSignal.timeout(this.#limitMs);
    try {
      const answer = once(this.#worker, 'message', { signal: AbortSignal.any([this.#signal, limit]) });
      this.#worker.postMessage(question, transfer);
      return (await answer)[0] as Answer;
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
