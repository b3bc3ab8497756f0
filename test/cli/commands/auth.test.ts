import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';

const cloud = { env: { SVC_SYSTEM_AUTH_MODE: 'cloud' } };
const password = 'correct horse 1';

beforeAll(ensureBuilt);

interface Logins {
  logins?: Record<string, string>;
  contexts?: Record<string, { token?: string }>;
}
const contextsOf = ({ folder }: SvcHome) =>
  JSON.parse(readFileSync(join(folder, 'contexts.json'), 'utf8')) as Logins;
const urlOf = ({ port }: SvcHome) => `http://127.0.0.1:${port}`;

describe('svc auth in cloud mode', () => {
  let home: SvcHome;
  let elsewhere: SvcHome;
  beforeAll(async () => {
    home = await SvcHome.create();
    elsewhere = await SvcHome.create();
    await home.svc(['daemon', 'start'], cloud);
  });
  afterAll(async () => {
    await elsewhere[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  const signup = ['auth', 'signup', '--email', 'ada@example.com', '--name', 'Ada', '--password-stdin'];
  const login = ['auth', 'login', '--email', 'ada@example.com', '--password-stdin'];

  it('says how to sign in, and can be stopped and shown without a session', async () => {
    expect(await home.svc(['tasks', 'ls'])).toEqual({
      code: 4,
      stdout: '',
      stderr: 'svc: Not signed in. Sign in: svc auth login, or create the first account: svc auth signup\n',
    });
    const status = await home.svc(['daemon', 'status']);
    expect(status).toMatchObject({ code: 0, stdout: expect.stringContaining('unknown; sign in') as string });
    expect((await home.svc(['doctor'])).stdout).toContain('Sign in: svc auth login');
    const restarted = await home.svc(['daemon', 'restart'], cloud);
    expect(restarted).toMatchObject({ code: 0, stdout: '' });
    expect(restarted.stderr).toContain('No account exists yet. Create the first one: svc auth signup\n');
  });

  it('creates the first account on the machine itself, and keeps its session', async () => {
    const made = await home.svc(signup, { stdin: `${password}\n` });
    expect(made, made.stderr).toMatchObject({ code: 0, stdout: 'Ada <ada@example.com>, admin\n' });
    expect((await home.svc(['auth', 'whoami'])).stdout).toBe(
      `Ada <ada@example.com>, admin, at ${urlOf(home)}\n`,
    );
    expect(statSync(join(home.folder, 'contexts.json')).mode & 0o777).toBe(0o600);
    expect(Object.keys(contextsOf(home).logins ?? {})).toEqual([urlOf(home)]);
  });

  it('invites a user, who signs up on another machine with the printed command', async () => {
    const invited = await home.svc(['auth', 'invite', '--email', 'eve@example.com', '--days', '1']);
    const code = invited.stdout.trim();
    const ready = `svc auth signup --url ${urlOf(home)} --invite ${code} --email eve@example.com`;
    expect(invited.stderr).toContain(`\n  ${ready}\n`);
    const uninvited = await elsewhere.svc([...signup, '--url', urlOf(home)], { stdin: password });
    expect(uninvited).toMatchObject({ code: 6, stdout: '' });
    expect(uninvited.stderr).toMatch(/^svc: [^\n]*svc auth invite[^\n]*\n$/);
    const made = await elsewhere.bash(`${ready} --name Eve --password-stdin`, { stdin: password });
    expect(made, made.stderr).toMatchObject({ code: 0, stdout: 'Eve <eve@example.com>, user\n' });
    expect(JSON.parse((await home.svc(['auth', 'invites', 'ls', '--json'])).stdout)).toMatchObject({
      invites: [{ email: 'eve@example.com', usedAt: expect.any(String) as string }],
    });
    const [id = ''] = (await home.svc(['auth', 'invites', 'ls', '--quiet'])).stdout.split('\n');
    expect(await home.svc(['auth', 'invites', 'rm', id.slice(7, 20)])).toMatchObject({
      code: 0,
      stdout: `${id}\n`,
    });
    expect((await home.svc(['auth', 'invites', 'ls'])).stderr).toContain('Create one: svc auth invite');
    expect((await elsewhere.svc(['auth', 'invite', '--url', urlOf(home)])).code).toBe(4);
  });

  it('disables an account by its address and enables it again', async () => {
    const set = ['auth', 'users', 'set', 'eve@example.com'];
    expect((await home.svc([...set, '--disable'])).stderr).toContain('user, disabled');
    const out = await elsewhere.svc(['auth', 'whoami', '--url', urlOf(home)]);
    expect(out).toMatchObject({ code: 4, stdout: '' });
    expect(out.stderr).toContain(`Sign in: svc auth login --url ${urlOf(home)}`);
    expect((await home.svc([...set, '--enable', '--role', 'admin'])).stderr).toContain('admin, active');
    expect((await home.svc(set)).code).toBe(2);
    expect((await home.svc(['auth', 'users', 'set', 'nobody@example.com', '--enable'])).code).toBe(5);
    expect((await home.svc(['auth', 'users', 'ls'])).stdout).toMatch(/eve@example.com +Eve +admin +active/);
  });

  it('signs in with a name for the daemon, changes the password, signs out', async () => {
    await elsewhere.svc(['context', 'set', 'work', '--url', urlOf(home)]);
    const at = ['--context', 'work'];
    const wrong = await elsewhere.svc([...login, ...at], { stdin: 'wrong horse 1' });
    expect(wrong).toEqual({
      code: 4,
      stdout: '',
      stderr: 'svc: E-mail or password is wrong. Try again.\n',
    });
    const signedIn = await elsewhere.svc([...login, '--json', ...at], { stdin: password });
    expect(JSON.parse(signedIn.stdout)).toMatchObject({ user: { email: 'ada@example.com' } });
    expect(contextsOf(elsewhere).contexts).toMatchObject({ work: { token: expect.any(String) as string } });
    expect((await elsewhere.svc(['auth', 'sessions', 'ls', ...at])).stdout).toMatch(/\* +sess_\S+ +sign-in/);
    const change = ['auth', 'password', '--password-stdin', ...at];
    expect((await elsewhere.svc(change, { stdin: password })).code).toBe(2);
    const changed = await elsewhere.svc(change, { stdin: `${password}\nbattery staple 2\n` });
    expect(changed, changed.stderr).toMatchObject({ code: 0, stdout: '' });
    // What is kept here from before is no hindrance.
    const old = contextsOf(elsewhere).contexts?.['work']?.token ?? '';
    await home.svc(['auth', 'login', '--email', 'ada@example.com', '--password-stdin'], {
      stdin: 'battery staple 2',
    });
    await elsewhere.svc(['auth', 'logout', ...at]);
    for (const token of [old, `svc_${'a'.repeat(43)}`]) {
      await elsewhere.svc(['context', 'set', 'work', '--token-stdin'], { stdin: token });
      const refused = await elsewhere.svc(['tasks', 'ls', ...at]);
      expect(refused).toMatchObject({ code: 4, stdout: '' });
      expect(refused.stderr).toContain(
        token === old
          ? 'Sign in: svc auth login --context work, or pair again: svc devices pair --context work'
          : `Set a new token: svc context set work --url ${urlOf(home)} --token-stdin`,
      );
      const again = await elsewhere.svc([...login, ...at], { stdin: 'battery staple 2' });
      expect(again, again.stderr).toMatchObject({ code: 0, stdout: 'Ada <ada@example.com>, admin\n' });
    }
    expect((await elsewhere.svc(['auth', 'sessions', 'ls', ...at])).stdout).toMatch(/\* .* 30 d /);
    await home.svc(['auth', 'logout']);
    expect((await home.svc(['auth', 'whoami'])).code).toBe(4);
    expect((await elsewhere.svc(['auth', 'logout', ...at])).stderr).toContain('Signed out');
    expect(contextsOf(elsewhere).contexts).toEqual({ work: { url: urlOf(home) } });
    expect((await home.svc(login, { stdin: 'battery staple 2' })).code).toBe(0);
  });

  it('prints a link that signs a browser in, once', async () => {
    const { stdout } = await home.svc(['auth', 'link']);
    const [page, token] = stdout.trim().split('#');
    expect(page).toBe(`${urlOf(home)}/sign-in`);
    const redeem = () =>
      fetch(`${urlOf(home)}/api/auth/sign-in-links/redeem`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      });
    expect((await redeem()).status).toBe(200);
    expect((await redeem()).status).toBe(401);
    const listed = await home.svc(['auth', 'sessions', 'ls', '--json']);
    const { sessions } = JSON.parse(listed.stdout) as { sessions: { id: string; current: boolean }[] };
    const browser = sessions.find(({ current }) => !current)?.id ?? '';
    expect((await home.svc(['auth', 'sessions', 'revoke', browser])).stdout).toBe(`${browser}\n`);
  });

  it('never asks without a terminal', async () => {
    for (const args of [['login'], ['signup'], ['login', '--email', 'ada@example.com'], ['password']]) {
      const { code, stderr } = await home.svc(['auth', ...args]);
      expect({ args, code }).toEqual({ args, code: 2 });
      expect(stderr).toContain('No terminal to prompt on.');
    }
  });
});

describe('svc auth in local mode', () => {
  it('creates accounts, and commands still run as the owner', async () => {
    await using home = await SvcHome.create();
    const args = ['--email', 'ada@example.com', '--name', 'Ada', '--password-stdin'];
    const made = await home.svc(['auth', 'signup', ...args], { stdin: password });
    expect(made, made.stderr).toMatchObject({ code: 0, stdout: 'Ada <ada@example.com>, admin\n' });
    expect(made.stderr).toContain('Commands on this machine continue to run as its owner.');
    expect((await home.svc(['auth', 'whoami'])).stdout).toContain('<owner@localhost>');
    const login = await home.svc(['auth', 'login', '--email', 'ada@example.com']);
    expect(login).toMatchObject({ code: 6, stdout: '' });
    expect(login.stderr).toContain(`svc context set NAME --url ${urlOf(home)}`);
    expect((await home.svc(['auth', 'logout'])).code).toBe(6);
    const users = JSON.parse((await home.svc(['auth', 'users', 'ls', '--json'])).stdout) as { users: [] };
    expect(users.users).toHaveLength(2);
  });

  it('signs in from another machine with the access key on stdin', async () => {
    await using home = await SvcHome.create();
    await using elsewhere = await SvcHome.create();
    const key = (await home.svc(['auth', 'access-key'])).stdout;
    const login = ['auth', 'login', '--access-key-stdin', '--url', urlOf(home)];
    expect((await elsewhere.svc(login, { stdin: 'not the key' })).stderr).toContain('svc auth access-key');
    expect(await elsewhere.svc(login, { stdin: key })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('<owner@localhost>, admin') as string,
    });
  });
});

describe('where credentials are sent', () => {
  /** Something that wants to be told who asks, and is nobody's daemon. */
  async function startOtherServer() {
    const seen: IncomingHttpHeaders[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers);
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"Not signed in"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    return { seen, url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => void server.close() };
  }

  it('sends a session only to its own origin, and SVC_TOKEN instead of all other credentials', async () => {
    await using home = await SvcHome.create();
    using other = await startOtherServer();
    await home.svc(['daemon', 'start'], cloud);
    const args = ['--email', 'ada@example.com', '--name', 'Ada', '--password-stdin'];
    await home.svc(['auth', 'signup', ...args], { stdin: password });
    expect((await home.svc(['tasks', 'ls'])).code).toBe(0);
    const asked = await home.svc(['tasks', 'ls', '--url', other.url]);
    expect(asked.stderr).toBe(`svc: Not signed in. Sign in: svc auth login --url ${other.url}\n`);
    expect(other.seen).toHaveLength(1);
    expect(other.seen[0]).not.toHaveProperty('cookie');
    expect(other.seen[0]).not.toHaveProperty('authorization');
    const token = await home.svc(['tasks', 'ls', '--url', other.url], { env: { SVC_TOKEN: 'svc_abc' } });
    expect(token.stderr).toContain('or create a new token: svc tokens create');
    expect(other.seen[1]).toMatchObject({ authorization: 'Bearer svc_abc' });
    expect(other.seen[1]).not.toHaveProperty('cookie');
    const session = Object.values(contextsOf(home).logins ?? {})[0] ?? '';
    expect((await home.svc(['auth', 'logout'])).code).toBe(0);
    expect((await home.svc(['tasks', 'ls'], { env: { SVC_TOKEN: session } })).code).toBe(4);
    const broken = await home.svc(['tasks', 'ls'], { env: { SVC_TOKEN: 'two words' } });
    expect(broken).toMatchObject({ code: 6, stdout: '' });
  });

  it('reports that the daemon of another home uses the port', async () => {
    await using home = await SvcHome.create();
    await using other = await SvcHome.create();
    await home.svc(['daemon', 'start']);
    await home.svc(['daemon', 'stop']);
    await other.svc(['daemon', 'start', '--port', String(home.port)]);
    expect(await home.svc(['tasks', 'ls'])).toEqual({
      code: 4,
      stdout: '',
      stderr: `svc: The daemon at ${urlOf(home)} does not belong to ${home.folder}. Choose another port: SVC_PORT=${home.port + 1}\n`,
    });
  });

  const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
  it.skipIf(!isRoot)('keeps the owner session from another user on the port (needs root)', async () => {
    await using home = await SvcHome.create();
    await home.svc(['daemon', 'start']);
    await home.svc(['daemon', 'stop']);
    const script = `require('node:http').createServer((request, response) => {
      console.log(JSON.stringify(request.headers));
      response.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"Not signed in"}');
    }).listen(${home.port}, '127.0.0.1', () => console.log('listens'))`;
    const other = spawn(process.execPath, ['-e', script], { uid: 65534, cwd: '/' });
    try {
      let said = '';
      other.stdout.on('data', (chunk: Buffer) => (said += chunk.toString('utf8')));
      await once(other.stdout, 'data');
      const asked = await home.svc(['tasks', 'ls', '--no-autostart']);
      expect(asked).toMatchObject({ code: 69, stdout: '' });
      expect(asked.stderr).toContain('the process listening there is not yours');
      expect(said).toContain('accept');
      expect(said).not.toContain('cookie');
      const started = await home.svc(['tasks', 'ls']);
      expect(started).toMatchObject({ code: 78, stdout: '' });
      expect(started.stderr).toContain('is already in use');
    } finally {
      other.kill();
    }
  });
});
