import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname, join, relative } from 'node:path';

/** A file of the web UI as it is sent. */
export interface WebFile {
  type: string;
  body: Buffer;
  etag: string;
  encoding?: 'br' | 'gzip';
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
  '.webmanifest': 'application/manifest+json',
};
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;

/**
 * The built files of the web UI. Their names are listed once, with the first request for a page, so that no path of a
 * request reaches the disk; each is read at its first use and then kept, together about a megabyte.
 */
export class WebFiles {
  readonly #directory: string;
  #listed: ReadonlySet<string> | undefined;
  readonly #read = new Map<string, Promise<WebFile>>();

  /** A directory that is missing has no files. */
  constructor(directory: string) {
    this.#directory = directory;
  }

  get #names(): ReadonlySet<string> {
    return (this.#listed ??= new Set(namesIn(this.#directory)));
  }

  has(path: string): boolean {
    return this.#names.has(path) && extname(path) in types;
  }

  /** The file at a path for which `has` is true, compressed as the client accepts it. */
  get(path: string, accepted: string): Promise<WebFile> {
    const found = encodings.find(([name, end]) => accepts(accepted, name) && this.#names.has(path + end));
    const [encoding, end] = found ?? [undefined, ''];
    const name = path + end;
    let file = this.#read.get(name);
    if (!file) {
      file = this.#load(name, types[extname(path)] ?? '', encoding);
      this.#read.set(name, file);
      file.catch(() => this.#read.delete(name));
    }
    return file;
  }

  async #load(name: string, type: string, encoding: WebFile['encoding']): Promise<WebFile> {
    const body = await readFile(join(this.#directory, name));
    const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    return { type, body, etag, ...(encoding && { encoding }) };
  }
}

/** `gzip;q=0` refuses it (RFC 9110, section 12.5.3). */
const accepts = (accepted: string, encoding: string) =>
  accepted
    .toLowerCase()
    .split(',')
    .some((part) => {
      const [name, ...parameters] = part.split(';').map((each) => each.trim());
      return name === encoding && !parameters.some((each) => /^q=0(\.0*)?$/.test(each));
    });

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `/${relative(directory, join(entry.parentPath, entry.name))}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
