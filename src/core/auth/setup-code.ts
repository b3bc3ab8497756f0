import { timingSafeEqual } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { writePrivateFile } from '../storage/private-file.ts';
import type { Runtime } from '../runtime.ts';
import { hashToken } from './hash-token.ts';

/** Lets the first account be made from anywhere; it is in a file that only its owner may read, until that account is. */
export class SetupCode {
  readonly #file: string;
  constructor(file: string) {
    this.#file = file;
  }

  /** Makes a code where there is none. */
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
