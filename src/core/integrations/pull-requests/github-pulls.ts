import { z } from 'zod';
import { safeParse } from '../../../contract/safe-parse.ts';
import type { PullRequest } from '../../../contract/changes.ts';
import { AppError } from '../../errors.ts';
import type { OutboundFetch } from '../../outbound/outbound-fetch.ts';
import { exchangeJson, type VendorAnswer } from '../../outbound/vendor-requests.ts';
import { safeText } from '../../text/safe-text.ts';
import { repositoryName } from './github-address.ts';

const repositorySchema = z.object({
  full_name: z.string(),
  default_branch: z.string(),
  permissions: z.object({ push: z.boolean() }).partial().nullish(),
});
const pullSchema = z.object({
  number: z.int(),
  html_url: z.url({ protocol: /^https?$/ }),
  base: z.object({ ref: z.string() }),
  head: z.object({ ref: z.string() }),
});
const refSchema = z.object({ object: z.object({ sha: z.string() }) });
const failureSchema = z.object({
  message: z.string().optional(),
  errors: z
    .array(
      z.union([
        z.string(),
        z.object({
          message: z.string().optional(),
          field: z.string().optional(),
          code: z.string().optional(),
        }),
      ]),
    )
    .optional()
    .catch(undefined),
});

export interface GithubAccess {
  /** Without a slash at its end. */
  apiUrl: string;
  /** The origin of its pages. */
  origin: string;
  token: string;
  fetch: OutboundFetch;
}
export interface GithubRepository {
  /** `owner/repo`, also of one that was renamed. */
  name: string;
  defaultBranch: string;
}
export interface NewPull {
  repository: string;
  branch: string;
  base: string;
  title: string;
  body: string;
  draft: boolean;
}
export type OpenPull = PullRequest & { base: string };

/** Pull requests at GitHub. Throws a `conflict` in plain words where GitHub refuses. */
export class GithubPulls {
  readonly #access: GithubAccess;
  constructor(access: GithubAccess) {
    this.#access = access;
  }

  /** The repository, which the account may push to. */
  async repository(wanted: string): Promise<GithubRepository> {
    const answer = await this.#read(`/repos/${wanted}`);
    if (answer.status > 299) throw this.#refusal(answer, wanted);
    const { data } = safeParse(repositorySchema, answer.body);
    const name = data && repositoryName(data.full_name);
    if (!data || name === undefined) throw unreadable();
    if (data.permissions?.push === false) throw mayNotWrite(name);
    return { name, defaultBranch: data.default_branch };
  }

  /** The commit that a branch has; undefined where there is no such branch. */
  async commitOf(repository: string, branch: string): Promise<string | undefined> {
    const name = branch.split('/').map(encodeURIComponent).join('/');
    const answer = await this.#read(`/repos/${repository}/git/ref/heads/${name}`);
    if (answer.status === 404) return undefined;
    if (answer.status > 299) throw this.#refusal(answer, repository);
    const { data } = safeParse(refSchema, answer.body);
    if (!data) throw unreadable();
    return data.object.sha;
  }

  /** The open pull request of a branch. */
  async find(repository: string, branch: string): Promise<OpenPull | undefined> {
    const [owner = ''] = repository.split('/');
    const head = encodeURIComponent(`${owner}:${branch}`);
    const answer = await this.#read(`/repos/${repository}/pulls?state=open&per_page=10&head=${head}`);
    if (answer.status > 299) throw this.#refusal(answer, repository);
    const { data } = safeParse(z.array(pullSchema), answer.body);
    if (!data) throw unreadable();
    const found = data.find((pull) => pull.head.ref === branch);
    return found && this.#toPull(found);
  }

  async create({ repository, branch, ...pull }: NewPull): Promise<OpenPull> {
    const answer = await this.#send('POST', `${this.#access.apiUrl}/repos/${repository}/pulls`, {
      ...pull,
      head: branch,
    });
    if (answer.status === 422) {
      // Another one was opened at the same moment.
      const existing = await this.find(repository, branch);
      if (existing) return existing;
      throw this.#rejection(answer, repository, pull.base);
    }
    if (answer.status > 299) throw this.#refusal(answer, repository);
    const { data } = safeParse(pullSchema, answer.body);
    if (!data) throw unreadable();
    return this.#toPull(data);
  }

  #toPull({ number, html_url: url, base }: z.output<typeof pullSchema>): OpenPull {
    if (new URL(url).origin !== this.#access.origin) throw unreadable();
    return { number, url, base: base.ref };
  }

  /** Follows the redirect of a renamed repository, but never to another server. */
  async #read(path: string): Promise<VendorAnswer> {
    const { apiUrl } = this.#access;
    const answer = await this.#send('GET', apiUrl + path);
    const to = answer.status < 400 ? answer.headers.get('location') : null;
    const isHere = to !== null && URL.canParse(to) && new URL(to).origin === new URL(apiUrl).origin;
    return isHere ? this.#send('GET', to) : answer;
  }

  async #send(method: 'GET' | 'POST', url: string, body?: object): Promise<VendorAnswer> {
    const { fetch, token } = this.#access;
    const answer = await exchangeJson(fetch, 'GitHub', url, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        'x-github-api-version': '2022-11-28',
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { status, headers } = answer;
    const isLimited =
      status === 429 ||
      (status === 403 && (headers.has('retry-after') || headers.get('x-ratelimit-remaining') === '0'));
    if (isLimited) throw new AppError('unavailable', 'GitHub is rate limiting requests. Try again later.');
    if (status >= 500) throw new AppError('unavailable', `GitHub answered ${status}. Try again later.`);
    return answer;
  }

  #refusal({ status, headers, body }: VendorAnswer, repository: string): AppError {
    if (status === 401)
      return conflict(
        'GitHub rejected the token of the connected account. Connect it again: svc integrations connect github --again',
      );
    if (status === 403 && headers.has('x-github-sso'))
      return conflict(
        `The organization of ${repository} requires single sign-on. Authorize the OAuth app for it at GitHub, or connect again: svc integrations connect github --again`,
      );
    if (status === 403) return mayNotWrite(repository);
    if (status === 404 || status === 410)
      return conflict(`GitHub does not know ${repository}, or the connected account may not see it`);
    return conflict(`GitHub answered ${status} for ${repository}: ${this.#messageOf(body)}`);
  }

  #rejection({ body }: VendorAnswer, repository: string, base: string): AppError {
    const { data } = safeParse(failureSchema, body);
    const errors = (data?.errors ?? []).map((error) =>
      typeof error === 'string' ? { message: error } : error,
    );
    const says = (pattern: RegExp) => errors.some(({ message = '' }) => pattern.test(message));
    if (errors.some((error) => 'field' in error && error.field === 'base'))
      return conflict(`${repository} has no branch ${base}. Name another one with --base`);
    if (says(/no commits between/i)) return conflict(`${base} has all commits of the branch already`);
    if (says(/draft/i)) return conflict(`${repository} does not support drafts. Open it without --draft`);
    return conflict(`GitHub refused the pull request: ${this.#messageOf(body)}`);
  }

  #messageOf(body: unknown): string {
    const { data } = safeParse(failureSchema, body);
    const parts = (data?.errors ?? []).map((error) =>
      typeof error === 'string'
        ? error
        : (error.message ?? [error.field, error.code].filter(Boolean).join(' ')),
    );
    const text = [data?.message, ...parts].filter(Boolean).join('. ') || 'no reason was given';
    return safeText(text, [this.#access.token]);
  }
}

const conflict = (message: string) => new AppError('conflict', message);

const mayNotWrite = (repository: string) =>
  conflict(
    `The connected GitHub account may not write to ${repository}. Ask for write access, or connect another account: svc integrations connect github --again`,
  );

const unreadable = () => new AppError('unavailable', 'GitHub sent an unreadable answer');
