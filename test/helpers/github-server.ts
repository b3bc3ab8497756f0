import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, realpathSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { App } from '../../src/core/app.ts';
import type { Flags } from '../../src/core/config/config.ts';
import { ownerId } from '../../src/core/auth/owner.ts';
import { temporaryFolder } from './daemon.ts';

export interface ApiRequest {
  method: string;
  path: string;
  authorization: string;
  body: Record<string, unknown>;
}
interface Pull {
  number: number;
  html_url: string;
  state: 'open' | 'closed';
  title: string;
  body: string;
  draft: boolean;
  base: { ref: string };
  head: { ref: string };
}
type Answer = { status: number; body: unknown; headers?: Record<string, string> };

/** The API of GitHub and its repositories over HTTP, on a free port. The repositories are served by git itself. */
export class GithubServer {
  readonly token: string;
  readonly requests: ApiRequest[] = [];
  /** Requests of git, with their authorization. */
  readonly gitRequests: Pick<ApiRequest, 'method' | 'path' | 'authorization'>[] = [];
  readonly pulls: Pull[] = [];
  /** What happens to an API request in place of the usual. */
  interfere: (request: ApiRequest) => Answer | undefined = () => undefined;
  url = '';
  readonly #root = realpathSync(temporaryFolder());
  readonly #server = createServer((request, response) => void this.#handle(request, response));

  constructor(token = 'gho_planted0Token1For2Tests3aB4cD5eF6') {
    this.token = token;
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const address = this.#server.address();
    this.url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    return this;
  }

  get flags(): Flags {
    return {
      'outbound.allowPrivate': ['127.0.0.0/8'],
      'integrations.github.apiUrl': `${this.url}/api/v3`,
      'integrations.github.clientId': 'client',
      'integrations.github.clientSecret': 'client-secret',
    };
  }

  /** Creates an empty repository. */
  create(name: string): void {
    const path = this.pathOf(name);
    mkdirSync(path, { recursive: true });
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', path]);
    execFileSync('git', ['-C', path, 'config', 'http.receivepack', 'true']);
  }

  pathOf = (name: string): string => join(this.#root, `${name}.git`);

  git(name: string, ...args: string[]): string {
    return execFileSync('git', ['-C', this.pathOf(name), ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    }).trimEnd();
  }

  /** Connects the account of the token to a user of the daemon, the owner of the machine by default. */
  async connect({ connections }: Pick<App, 'connections'>, userId = ownerId): Promise<void> {
    const tokens = {
      accessToken: this.token,
      refreshToken: undefined,
      expiresAt: undefined,
      scopes: ['repo'],
    };
    const profile = {
      accountId: '1',
      login: 'ann',
      name: 'Ann',
      email: undefined,
      avatarUrl: undefined,
      account: { username: 'ann' },
      scopes: ['repo'],
    };
    const client = { address: '127.0.0.1', userAgent: 'test' };
    await connections.connect({ userId, provider: 'github', client }, { tokens, profile });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const authorization = headers.authorization ?? '';
    if (!url.startsWith('/api/v3/')) {
      this.gitRequests.push({ method, path: url, authorization });
      return this.#serveGit(request, response, authorization);
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const asked: ApiRequest = {
      method,
      path: url.slice('/api/v3'.length),
      authorization,
      body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
    };
    this.requests.push(asked);
    const answer = this.interfere(asked) ?? this.#answer(asked);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(JSON.stringify(answer.body));
  }

  #answer({ method, path, authorization, body }: ApiRequest): Answer {
    if (authorization !== `Bearer ${this.token}`)
      return { status: 401, body: { message: 'Bad credentials' } };
    const [, name = '', rest = ''] = /^\/repos\/([^/]+\/[^/?]+)(.*)$/.exec(path) ?? [];
    if (!this.#exists(name)) return { status: 404, body: { message: 'Not Found' } };
    if (rest === '')
      return {
        status: 200,
        body: { full_name: name, default_branch: 'main', permissions: { push: true, pull: true } },
      };
    if (method === 'GET' && rest.startsWith('/git/ref/heads/')) {
      const ref = `refs/heads/${rest.slice('/git/ref/heads/'.length)}`;
      const sha = this.git(name, 'for-each-ref', '--format=%(objectname)', ref);
      return sha === ''
        ? { status: 404, body: { message: 'Not Found' } }
        : { status: 200, body: { ref, object: { type: 'commit', sha } } };
    }
    if (method === 'GET' && rest.startsWith('/pulls?')) {
      const head = new URLSearchParams(rest.slice(7)).get('head');
      const [owner] = name.split('/');
      const open = this.pulls.filter((pull) => pull.state === 'open' && `${owner}:${pull.head.ref}` === head);
      return { status: 200, body: open };
    }
    if (method === 'POST' && rest === '/pulls') {
      const number = this.pulls.length + 1;
      const pull: Pull = {
        number,
        html_url: `${this.url}/${name}/pull/${number}`,
        state: 'open',
        title: String(body['title']),
        body: String(body['body']),
        draft: body['draft'] === true,
        base: { ref: String(body['base']) },
        head: { ref: String(body['head']) },
      };
      if (!this.#hasBranch(name, pull.base.ref))
        return {
          status: 422,
          body: {
            message: 'Validation Failed',
            errors: [{ resource: 'PullRequest', field: 'base', code: 'invalid' }],
          },
        };
      this.pulls.push(pull);
      return { status: 201, body: pull };
    }
    return { status: 404, body: { message: 'Not Found' } };
  }

  #exists(name: string): boolean {
    try {
      return this.git(name, 'rev-parse', '--is-bare-repository') === 'true';
    } catch {
      return false;
    }
  }

  #hasBranch(name: string, branch: string): boolean {
    return this.git(name, 'for-each-ref', `refs/heads/${branch}`) !== '';
  }

  #serveGit(request: IncomingMessage, response: ServerResponse, authorization: string): void {
    const login = Buffer.from(`x-access-token:${this.token}`).toString('base64');
    if (authorization !== `Basic ${login}`) {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="GitHub"' });
      return void response.end();
    }
    const url = new URL(request.url ?? '', this.url);
    const backend = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env['PATH'],
        GIT_PROJECT_ROOT: this.#root,
        GIT_HTTP_EXPORT_ALL: '1',
        REMOTE_USER: 'ann',
        REQUEST_METHOD: request.method,
        PATH_INFO: url.pathname,
        QUERY_STRING: url.search.slice(1),
        CONTENT_TYPE: request.headers['content-type'],
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
        GIT_PROTOCOL: [request.headers['git-protocol']].flat()[0],
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    request.pipe(backend.stdin);
    const chunks: Buffer[] = [];
    backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    backend.on('close', () => {
      const answer = Buffer.concat(chunks);
      const end = answer.indexOf('\r\n\r\n');
      const lines = answer.subarray(0, end).toString().split('\r\n');
      const fields = lines.map((line) => line.split(/: (.*)/s).slice(0, 2) as [string, string]);
      const status = fields.find(([field]) => field.toLowerCase() === 'status')?.[1] ?? '200';
      response.writeHead(Number.parseInt(status, 10), Object.fromEntries(fields));
      response.end(answer.subarray(end + 4));
    });
  }
}
