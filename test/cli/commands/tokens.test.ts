import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';

describe('svc tokens', () => {
  let home: SvcHome;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
    await home.svc(['daemon', 'start']);
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it('prints only the token, lists it without its secret, and revokes it', async () => {
    const made = await home.svc(['tokens', 'create', 'ci', '--scope', 'tasks:read', '--days', '30']);
    expect(made.code).toBe(0);
    expect(made.stdout).toMatch(/^svc_[\w-]{43}\n$/);
    expect(made.stderr).toContain('It expires in 30 d.');
    const token = made.stdout.trim();
    expect(made.stderr).not.toContain(token);
    const listed = await home.svc(['tokens', 'ls']);
    expect(listed.stdout).toMatch(/ci +tasks:read/);
    expect(listed.stdout).not.toContain(token);
    const env = { SVC_TOKEN: token };
    expect((await home.svc(['tasks', 'ls'], { env })).code).toBe(0);
    const refused = await home.svc(['tokens', 'ls'], { env });
    expect(refused).toMatchObject({ code: 4, stdout: '' });
    expect(refused.stderr).toContain('unset SVC_TOKEN');
    const [id = ''] = (await home.svc(['tokens', 'ls', '--quiet'])).stdout.split('\n');
    expect((await home.svc(['tokens', 'revoke', id.slice('token_'.length, 20)])).stdout).toBe(`${id}\n`);
    expect((await home.svc(['tasks', 'ls'], { env })).code).toBe(4);
    expect((await home.svc(['tokens', 'ls'])).stderr).toContain('Create one: svc tokens create');
  });

  it('limits the models that a token may call', async () => {
    const caps = ['--model', 'openai/*', '--model', 'fast', '--requests-per-minute', '60'];
    const made = await home.svc([
      'tokens',
      'create',
      'editor',
      '--scope',
      'models:use',
      ...caps,
      '--tokens-per-minute',
      '1000',
      '--json',
    ]);
    expect(JSON.parse(made.stdout)).toMatchObject({
      models: ['openai/*', 'fast'],
      requestsPerMinute: 60,
      tokensPerMinute: 1000,
    });
  });

  it('sends the API token of a context as a bearer token', async () => {
    const made = await home.svc(['tokens', 'create', 'ci', '--scope', 'tasks:read', '--json']);
    const { token } = JSON.parse(made.stdout) as { token: string };
    const url = `http://127.0.0.1:${home.port}`;
    const set = ['context', 'set', 'robot', '--url', url, '--token-stdin'];
    expect((await home.svc(set, { stdin: 'not a token' })).code).toBe(6);
    await home.svc(set, { stdin: `${token}\n` });
    expect((await home.svc(['context', 'ls'])).stdout).toMatch(/robot +\S+ +API token/);
    expect((await home.svc(['tasks', 'ls', '--context', 'robot'])).code).toBe(0);
    expect((await home.svc(['auth', 'whoami', '--context', 'robot'])).code).toBe(4);
    const logout = await home.svc(['auth', 'logout', '--context', 'robot']);
    expect(logout).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('svc context rm robot') as string,
    });
  });

  it('shows the notification secret beside a token that can cause notifications', async () => {
    const { stdout, stderr } = await home.svc(['tokens', 'create', 'gate', '--scope', 'gateway:write']);
    expect(stdout).toMatch(/^svc_\S+\n$/);
    expect(stderr).toMatch(/notifyUrl are signed with this secret, shown only once:\n\S{20,}\n/);
  });

  it.each([
    [['create', 'x'], /'--scope <scope>' not specified/],
    [['create', 'x', '--scope', 'everything'], /Allowed choices are gateway:write/],
    [['create', 'x', '--scope', 'tasks:read', '--days', 'many'], /whole number/],
  ])('rejects the token arguments %j', async (args, because) => {
    const { code, stdout, stderr } = await home.svc(['tokens', ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(because);
  });

  it('completes scopes, roles and token IDs', async () => {
    const complete = async (...words: string[]) => (await home.svc(['__complete', '--', ...words])).stdout;
    expect(await complete('tokens', 'create', 'x', '--scope', 'gateway:r')).toMatch(/^gateway:read\t/);
    expect(await complete('auth', 'invite', '--role', 'a')).toBe('admin\t\n');
    expect(await complete('tokens', 'revoke', '')).toMatch(/^token_\S+\tgate\n/);
    expect(await complete('auth', 'sessions', 'revoke', '')).toMatch(/^sess_\S+\towner/);
    expect(await complete('auth', 'users', 'set', '')).toMatch(/^user_owner\towner@localhost\n$/);
  });
});
