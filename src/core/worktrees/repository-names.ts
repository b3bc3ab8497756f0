import { GitFailed } from '../processes/run-git.ts';
import { findCheckout } from './find-repository.ts';
import type { GitTools } from './git-tools.ts';

/** How long a name holds: people seldom change where a checkout comes from. */
const FRESH_MS = 60_000;
const MAX_KNOWN = 1000;

/** The addresses that `git clone` takes: a URL, or `git@host:path`. Their user and password are left out. */
const addressForms = [
  /^(?:https?|ssh|git):\/\/(?:[^/@]*@)?([\w.-]+)(?::\d+)?\/([\w./~+-]{1,200})$/i,
  /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)([\w./~+-]{1,200})$/i,
];

/** The name of the repository at an address: `owner/name` at GitHub, `host/path` elsewhere; undefined for a local path. */
export function repositoryNameOf(address: string): string | undefined {
  for (const form of addressForms) {
    const [, host = '', path = ''] = form.exec(address) ?? [];
    const parts = path.split('/').filter((part) => part !== '');
    const name = parts.join('/').replace(/\.git$/i, '');
    if (name === '' || parts.some((part) => /^\.+$/.test(part))) continue;
    const server = host.toLowerCase();
    return /^(?:ssh\.)?github\.com$/.test(server) ? name : `${server}/${name}`;
  }
  return undefined;
}

export interface RepositoryNamesDeps {
  tools: GitTools;
  monotonic: () => number;
}

/** Finds which repository a directory is a checkout of, by its remote `origin`. */
export class RepositoryNames {
  readonly #deps: RepositoryNamesDeps;
  readonly #known = new Map<string, { name: Promise<string | undefined>; until: number }>();
  constructor(deps: RepositoryNamesDeps) {
    this.#deps = deps;
  }

  /** Undefined where the directory is in no checkout, or in one without such a remote. Never rejects. */
  of(directory: string): Promise<string | undefined> {
    const now = this.#deps.monotonic();
    const known = this.#known.get(directory);
    if (known && known.until > now) return known.name;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    const name = this.#find(directory).catch(() => undefined);
    this.#known.set(directory, { name, until: now + FRESH_MS });
    return name;
  }

  async #find(directory: string): Promise<string | undefined> {
    const checkout = await findCheckout(this.#deps.tools, directory);
    if (!checkout) return undefined;
    const address = await checkout.git
      .text(['config', '--get', 'remote.origin.url'])
      .catch((error: unknown) => {
        if (error instanceof GitFailed) return '';
        throw error;
      });
    return repositoryNameOf(address);
  }
}
