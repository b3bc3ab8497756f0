import { type BigIntStats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { relative } from 'node:path';
import { openVerified } from './open-verified.ts';
import { isConfigurationName, isSourceName } from './secret-candidates.ts';
import { holdsSecrets } from './secret-content.ts';

/** Larger files are searched up to here. */
const MAX_BYTES = 512 * 1024;
/** The most files whose result is kept. */
const MAX_KNOWN = 100_000;

/** Recognizes files with credentials by their content, and remembers the result until the file changes. */
export class SecretFiles {
  readonly #given: () => readonly string[];
  readonly #known = new Map<string, { state: string; isSecret: boolean }>();

  /** `given` are secrets that svc knows itself; in content that was read, they are recognized too. */
  constructor(given: () => readonly string[] = () => []) {
    this.#given = given;
  }

  /** Whether a regular file at a real path holds credentials; false for what is no such file, or cannot be read. */
  async isSecret(path: string, workspace: string): Promise<boolean> {
    if (!isConfigurationName(path) && !isSourceName(path)) return false;
    const found = await lstat(path, { bigint: true }).catch(() => undefined);
    if (!found?.isFile() || found.size === 0n) return false;
    const state = stateOf(found);
    const known = this.#known.get(path);
    if (known?.state === state) return known.isSecret;
    const text = await readStart(path, Number(found.size));
    const isSecret = text !== undefined && this.holdsSecrets(path, workspace, text);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(path, { state, isSecret });
    return isSecret;
  }

  /** The same for content that was already read. */
  holdsSecrets(path: string, workspace: string, content: Uint8Array): boolean {
    const text = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, MAX_BYTES));
    if (this.#given().some((secret) => text.includes(secret))) return true;
    return !text.includes(0) && holdsSecrets(relative(workspace, path), text.toString('utf8'));
  }
}

const stateOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats) =>
  [dev, ino, size, mtimeNs, ctimeNs].join(' ');

/** `size` is that of the file, because room for the largest would be most of the work of reading many small ones. */
async function readStart(path: string, size: number): Promise<Uint8Array | undefined> {
  try {
    await using file = await openVerified(path);
    const buffer = Buffer.alloc(Math.min(MAX_BYTES, size));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead);
  } catch {
    // Reading it reports the same error.
    return undefined;
  }
}
