import { timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import type { Runtime } from '../runtime.ts';
import type { SecretBox } from '../secrets/secret-box.ts';
import type { Database, WriteTransaction } from '../storage/database.ts';
import { writePrivateFile } from '../storage/private-file.ts';
import { ensureState, writeState } from '../storage/state.ts';
import { hashToken } from './hash-token.ts';

const KEY = 'setup_code';

export interface SetupCodeDeps {
  database: Database;
  box: SecretBox;
  runtime: Runtime;
}

/**
 * The code that creates the first account from another machine. Every daemon on the database has the same one, in a
 * private file until that account exists.
 */
export class SetupCode {
  readonly #file: string;
  #code: string | undefined;
  constructor(file: string) {
    this.#file = file;
  }

  /** Creates a code where there is none. */
  async ensure({ database, box, runtime }: SetupCodeDeps): Promise<void> {
    const inFile = this.#readFile();
    const sealed = await ensureState(database, KEY, () => box.seal(inFile ?? runtime.newSecret(15), KEY));
    this.#code = box.open(sealed, KEY);
    if (this.#code !== inFile) writePrivateFile(this.#file, `${this.#code}\n`);
  }

  read(): string | undefined {
    return this.#code;
  }

  matches(text: string): boolean {
    const code = this.read();
    return code !== undefined && timingSafeEqual(Buffer.from(hashToken(text)), Buffer.from(hashToken(code)));
  }

  /** Ends the code for all daemons with the transaction. */
  async remove({ db, afterCommit }: Pick<WriteTransaction, 'db' | 'afterCommit'>): Promise<void> {
    await writeState(db, KEY, null);
    afterCommit(() => this.forget());
  }

  /** Removes the file of this daemon, once an account exists. */
  forget(): void {
    this.#code = undefined;
    rmSync(this.#file, { force: true });
  }

  #readFile(): string | undefined {
    try {
      return readFileSync(this.#file, 'utf8').trim() || undefined;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }
}
