import { timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { writePrivateFile } from '../storage/private-file.ts';
import type { Runtime } from '../runtime.ts';
import { hashToken } from './hash-token.ts';

/** The code that creates the first account from another machine, in a private file until that account exists. */
export class SetupCode {
  readonly #file: string;
  constructor(file: string) {
    this.#file = file;
  }

  /** Creates a code where there is none. */
  ensure(runtime: Runtime): void {
    if (this.read() === undefined) writePrivateFile(this.#file, `${runtime.newSecret(15)}\n`);
  }

  read(): string | undefined {
    try {
      return readFileSync(this.#file, 'utf8').trim() || undefined;
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
      throw error;
    }
  }

  matches(text: string): boolean {
    const code = this.read();
    return code !== undefined && timingSafeEqual(Buffer.from(hashToken(text)), Buffer.from(hashToken(code)));
  }

  remove(): void {
    rmSync(this.#file, { force: true });
  }
}
