import { describe, expect, it } from 'vitest';
import { findSecret } from '../../../../src/core/memory/learned/find-secret.ts';

// Put together here, so that no scanner takes this file for a leak.
const of = (...deps: string[]) => deps.join('');
const random = 'q7Rk2Zx9Lm4Tn8Vb3Yc6Wd1Ps5';

describe('a secret', () => {
  it.each([
    of('-----BEGIN OPENSSH ', 'PRIVATE KEY-----\nb3BlbnNzaC1rZXk'),
    of('-----BEGIN ', 'PRIVATE KEY-----'),
    of('-----BEGIN RSA ', 'PRIVATE KEY-----'),
    of('-----BEGIN PGP ', 'PRIVATE KEY BLOCK-----'),
    of('Use sk', '-proj-', random, ' for it'),
    of('sk', '-ant-api03-', random),
    of('sk', '-abcdefghijklmnopqrstuvwx'),
    of('sk', '-1234567890'),
    of('sk', '_live_', random),
    of('gh', 'p_', random, 'abcdefghij'),
    of('github', '_pat_11ABCDEFG0', random),
    of('glpat', '-', random),
    of('xox', 'b-1234567890-abcdefghij'),
    of('xox', 'p-12345678'),
    of('AKIA', 'IOSFODNN7EXAMPLE'),
    of('AIza', 'SyA1234567890abcdefghijklmnopqrstuv'),
    of('hf', '_', random),
    of('npm', '_', random, '0123456789'),
    of('svc', '_', random, 'abcdefghijk'),
    of('whsec', '_', random),
    of('https://api.telegram.org/bot', '123456789', ':AAEhBP0av', random, '/getMe'),
    of('12345678', ':AAEhBP0av', random),
    of('eyJ', 'hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'),
    'postgres://admin:hunter2@db.internal:5432/app',
    'https://user:pass@example.org/repo.git',
    'redis://:s3cr3t@localhost:6379',
    'password=hunter2',
    'PASSWORD = hunter2',
    'DB_PASSWORD=correcthorse',
    "password: 'Tr0ub4dor&3'",
    '"password": "hunter22"',
    'The password is Tr0ub4dor&3.',
    'My password: hunter2!',
    'mysql --password=letmein7 -u root',
    'mysql --password letmein77 -u root',
    'curl -u admin:swordfish https://example.org',
    'curl --user admin:swordfish https://example.org',
    'api_key=abcd1234efgh5678',
    'API key: abcd1234efgh5678',
    'apiKey: "abcd1234efgh5678"',
    'client_secret = 8f14e45fceea167a5a36dedd4bea2543',
    'token: 8f14e45fceea167a5a36dedd4bea2543',
    of('Authorization: Bearer ', random),
    of('Authorization: Basic ', 'YWRtaW46aHVudGVyMg=='),
    of('the key ', random, ' opens it'),
    of('Send ', random, ' as the token'),
    of('https://hooks.slack.com/services/', 'T00000000/B00000000/XXXXyyyyZZZZ1234'),
    // What cannot be seen hides nothing.
    of('gh\u200bp_', random, 'abcdefghij'),
    'pass\u00adword=hunter2',
    'ｐassword=hunter2',
  ])('finds a secret in %s', (text) => {
    expect(findSecret(text)).toEqual(expect.any(String));
    expect(findSecret(`First ${text.slice(0, 0)}do this.\n${text}\nThen go on.`)).toEqual(expect.any(String));
  });
});

describe('honest text', () => {
  it.each([
    'Rotate the API key in settings',
    "The model's token limit is 8192",
    'max_tokens=4096, token limit: 200000',
    'Set the password in the environment, never in the file',
    'The password must have at least 12 characters, with digits like 1234567',
    'password: required, at least 12 characters',
    'Add a field `password: string` to the form',
    'const password = process.env.DB_PASSWORD',
    'api_key = os.environ["API_KEY"]',
    'connect(user=user, password=password)',
    'token = getToken()',
    'const token = await tokens.create({ name })',
    'password=$DB_PASSWORD',
    'password=${DB_PASSWORD}',
    'password=<your password>',
    'password=********',
    'API_KEY=your-api-key',
    'API_KEY=xxxxxxxxxxxx',
    'Authorization: Bearer <token>',
    'Send the header Authorization: Bearer $TOKEN',
    'Use bearer authentication and basic authentication',
    'The secret is kept in the vault at /etc/keys/database.key',
    'The key is to run the migration first',
    'The secret of good tests is patience',
    'postgres://admin:${PASSWORD}@db/app',
    'postgres://admin:<password>@db/app',
    'postgres://localhost:5432/app',
    'https://example.org:8443/@scope/package',
    'git@github.com:owner/repo.git',
    'At 1764000000:next the backup ran, 20261122:twenty-six-november-of-that-very-year',
    'Commit 8f14e45fceea167a5a36dedd4bea25438f14e45f broke the build',
    'task_0193a5b2-7c1d-7e3f-9a4b-5c6d7e8f9a0b has no token',
    'The token of conversation 0193a5b2-7c1d-7e3f-9a4b-5c6d7e8f9a0b has expired',
    'Move getAccessTokenFromRequestHeaders into src/core/auth/access-token-store.ts',
    'Keys are named sk-… and tokens svc_…',
    'Key prefixes: sk-, ghp_, xoxb-, AKIA',
    'Use the primary key of the table users2026',
    'Press the key combination Ctrl+Shift+P2',
    'Remove the key from localStorage: delete localStorage["session-token-v2"]',
    'secretName: my-secret',
    'token: session-token-v2',
    'passwordMinLength=12',
    'Run npm install --save-exact and set node=24.1.0',
    'eyJ is how a JSON web token begins',
    'useCredentials: include',
    'tokens: 1500 in, 300 out',
    'The session key was removed from the cookie',
  ])('finds no secret in %s', (text) => {
    expect(findSecret(text)).toBeUndefined();
  });

  it('checks hostile texts quickly', () => {
    const pieces = ['password', 'sk-', '=', ' ', 'a', 'A1', '-', '://', ':', '@', 'eyJ', '.', '"', 'is '];
    for (const piece of pieces) {
      const text = piece.repeat(200_000 / piece.length);
      const start = performance.now();
      findSecret(text);
      findSecret(`password${text}`);
      // Quadratic work over this length takes minutes.
      expect(performance.now() - start, piece).toBeLessThan(5000);
    }
  });
});
