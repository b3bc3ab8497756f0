import { hash } from 'node:crypto';
import { existsSync, unlinkSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../paths/file-errors.ts';
import type { Runtime } from '../runtime.ts';
import { syncDirectory } from '../storage/private-file.ts';

/** Begins the names of files that are being written. */
const PARTIAL = '.new';

/** Private files named by the SHA-256 of their content. */
export class KeptBlobs {
  readonly #directory: string;
  readonly #runtime: Pick<Runtime, 'newId' | 'now'>;
  /** How often each hash is being stored together with the row that names it. */
  readonly #held = new Map<string, number>();
  /** The hashes that were held since a collection began. */
  #heldMeanwhile: Set<string> | undefined;

  constructor(directory: string, runtime: Pick<Runtime, 'newId' | 'now'>) {
    this.#directory = directory;
    this.#runtime = runtime;
  }

  /** Does the work with a function that stores contents durably; they are not collected before the work is done. */
  async storing<T>(work: (put: (content: Uint8Array) => Promise<string>) => Promise<T>): Promise<T> {
    const held: string[] = [];
    try {
      return await work(async (content) => {
        const sha256 = hash('sha256', content);
        this.#hold(sha256, 1);
        held.push(sha256);
        await this.#write(sha256, content);
        return sha256;
      });
    } finally {
      for (const sha256 of held) this.#hold(sha256, -1);
    }
  }

  /** The content; undefined if it is not here. */
  async read(sha256: string): Promise<Buffer | undefined> {
    try {
      const content = await readFile(this.#path(sha256));
      return hash('sha256', content) === sha256 ? content : undefined;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** Removes the files that nothing names; resolves to how many. `namedIn` answers the named hashes with this prefix. */
  async collect(namedIn: (prefix: string) => Promise<Set<string>>): Promise<number> {
    if (this.#heldMeanwhile) return 0;
    this.#heldMeanwhile = new Set(this.#held.keys());
    try {
      let removed = 0;
      for (const prefix of await entriesOf(this.#directory)) {
        const names = await entriesOf(join(this.#directory, prefix));
        if (names.length === 0) continue;
        const named = await namedIn(prefix);
        for (const name of names) {
          const path = join(this.#directory, prefix, name);
          if (name.startsWith(PARTIAL)) await removeOld(path, this.#runtime.now().getTime() - HOUR_MS);
          else if (!named.has(name) && !this.#heldMeanwhile.has(name)) {
            // At once: nothing can come to hold it in between.
            unlinkSync(path);
            removed++;
          }
        }
      }
      return removed;
    } finally {
      this.#heldMeanwhile = undefined;
    }
  }

  async #write(sha256: string, content: Uint8Array): Promise<void> {
    const path = this.#path(sha256);
    if (existsSync(path)) return;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const partial = join(dirname(path), this.#runtime.newId(PARTIAL));
    try {
      await using file = await open(partial, 'wx', 0o600);
      await file.writeFile(content);
      await file.sync();
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    syncDirectory(dirname(path));
  }

  #path(sha256: string): string {
    return join(this.#directory, sha256.slice(0, 2), sha256);
  }

  #hold(sha256: string, by: 1 | -1): void {
    this.#heldMeanwhile?.add(sha256);
    const count = (this.#held.get(sha256) ?? 0) + by;
    if (count > 0) this.#held.set(sha256, count);
    else this.#held.delete(sha256);
  }
}

async function entriesOf(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

const HOUR_MS = 3_600_000;

/** Removes what a killed daemon left half written. */
async function removeOld(path: string, before: number): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found && found.mtimeMs < before) await rm(path, { force: true });
}
