import { z } from 'zod';
import { safeParse } from '../../contract/safe-parse.ts';
import { trimSlashes } from '../../contract/trim-slashes.ts';
import { wireName } from '../../contract/vendors.ts';
import type { Connection, ConnectionService } from './oauth/connection-service.ts';
import { askVendor } from '../outbound/vendor-requests.ts';
import type { Config } from '../config/config.ts';
import { AppError } from '../errors.ts';
import type { OutboundFetch } from '../outbound/outbound-fetch.ts';
import type { Runtime } from '../runtime.ts';

/** The maximum time that a status page waits for the vendor, for all repositories together. */
const LIMIT_MS = 3000;
const MOST_REPOSITORIES = 5;
const REMEMBER_MS = 60_000;

/** Any of these scopes lets a token read the hooks of a repository. */
const scopesForHooks = ['repo', 'admin:repo_hook', 'write:repo_hook', 'read:repo_hook'];
const hooksSchema = z.array(
  z.object({ active: z.boolean(), config: z.object({ url: z.string().optional() }) }),
);

export interface HookCheckDeps {
  config: Config;
  connections: Pick<ConnectionService, 'accessToken'>;
  fetch: OutboundFetch;
  runtime: Pick<Runtime, 'monotonic'>;
}

/** Checks at GitHub whether a repository named in the rules sends its events here. */
export class HookCheck {
  readonly #deps: HookCheckDeps;
  readonly #remembered = new Map<string, { answer: Promise<boolean>; until: number }>();

  constructor(deps: HookCheckDeps) {
    this.#deps = deps;
  }

  /** Also false without permission, without a named repository, or without a response in time. */
  async isSeen(userId: string, { accountId, scopes }: Connection): Promise<boolean> {
    const { config, runtime } = this.#deps;
    const baseUrl = config.get('server.baseUrl');
    const repositories = this.#repositories();
    const mayLook = scopes.some((scope) => scopesForHooks.includes(scope));
    if (baseUrl === undefined || !mayLook || repositories.length === 0) return false;
    const target = `${trimSlashes(baseUrl)}/api/webhooks/${wireName('github')}`;
    const key = JSON.stringify([userId, accountId, target, repositories]);
    const now = runtime.monotonic();
    for (const [other, { until }] of this.#remembered) if (until <= now) this.#remembered.delete(other);
    const known = this.#remembered.get(key);
    if (known) return known.answer;
    const answer = this.#look(userId, target, repositories);
    this.#remembered.set(key, { answer, until: now + REMEMBER_MS });
    return answer;
  }

  #repositories(): string[] {
    return Object.entries(this.#deps.config.get('webhooks.github.rules'))
      .filter(([name, { enabled = true }]) => enabled && /^[\w.-]+\/[\w.-]+$/.test(name))
      .map(([name]) => name)
      .slice(0, MOST_REPOSITORIES);
  }

  /** The limit covers a token refresh as well as the requests. */
  #look(userId: string, target: string, repositories: string[]): Promise<boolean> {
    const { connections } = this.#deps;
    const limit = AbortSignal.timeout(LIMIT_MS);
    const isOver = new Promise<false>((resolve) =>
      limit.addEventListener('abort', () => resolve(false), { once: true }),
    );
    const look = async () => {
      const token = await connections.accessToken(userId, 'github');
      const seen = await Promise.all(
        repositories.map((name) => orFalse(this.#hasHook(name, target, token, limit), limit)),
      );
      return seen.includes(true);
    };
    return Promise.race([orFalse(look(), limit), isOver]);
  }

  async #hasHook(repository: string, target: string, token: string, signal: AbortSignal): Promise<boolean> {
    const { config, fetch } = this.#deps;
    const apiUrl = trimSlashes(config.get('integrations.github.apiUrl'));
    const { status, body } = await askVendor(
      fetch,
      'GitHub',
      `${apiUrl}/repos/${repository}/hooks?per_page=100`,
      {
        method: 'GET',
        signal,
        headers: { accept: 'application/vnd.github+json', authorization: `Bearer ${token}` },
      },
    );
    const hooks = status === 200 ? safeParse(hooksSchema, body).data : undefined;
    return hooks?.some(({ active, config: { url } }) => active && url === target) ?? false;
  }
}

/** Vendor failures count as no; any other error is a bug. */
const orFalse = (asked: Promise<boolean>, limit: AbortSignal): Promise<boolean> =>
  asked.catch((error: unknown) => {
    if (error instanceof AppError || limit.aborted) return false;
    throw error;
  });
