import { describe, expect, it } from 'vitest';
import { maskSecrets } from '../../../src/core/tools/mask-secrets.ts';

const masked = (command: string) => maskSecrets({ command })['command'];

describe('arguments that are shown', () => {
  it.each([
    ['curl -H "Authorization: Bearer 8f3kd9s0fj2l1m"', 'curl -H "Authorization: Bearer ••••(14 characters)"'],
    ['deploy --token=8f3kd9s0fj2l1m --now', 'deploy --token=••••(14 characters) --now'],
    ['deploy --password hunter22 --now', 'deploy --password ••••(8 characters) --now'],
    ['git clone https://ann:s3cr3t@example.com/x', 'git clone https://ann:••••(6 characters)@example.com/x'],
    ['export AKIAIOSFODNN7EXAMPLE', 'export ••••(20 characters)'],
    ['echo ghp_16C7e42F292c6912E7710c838347Ae178B4a', 'echo ••••(40 characters)'],
  ])('mask what is secret in %s', (command, expected) => expect(masked(command)).toBe(expected));

  it.each([
    'npm test -- --token=$TOKEN',
    'rm -rf src',
    'git commit -m "add the password field"',
    'grep -rn apiKey src',
    'curl https://example.com/token',
  ])('stay as they are in %s', (command) => expect(masked(command)).toBe(command));

  it('mask by the names of arguments, at any depth', () => {
    expect(
      maskSecrets({
        apiKey: 'plain words',
        password: 'a b',
        list: [{ token: 'x' }],
        maxTokens: 5,
        path: 'key.ts',
      }),
    ).toEqual({
      apiKey: '••••(11 characters)',
      password: '••••(3 characters)',
      list: [{ token: '••••(1 characters)' }],
      maxTokens: 5,
      path: 'key.ts',
    });
  });

  it('mask the body of a private key, and nothing behind it', () => {
    const key = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----\nrm -rf /';
    expect(maskSecrets({ content: key })['content']).toBe(
      '-----BEGIN RSA PRIVATE KEY-----••••(8 characters)-----END RSA PRIVATE KEY-----\nrm -rf /',
    );
  });

  it('hide nothing that a shell would run', () => {
    expect(masked('x --token=abc123def|sh')).toContain('|sh');
    expect(masked('x --password=abc123;rm')).toContain(';rm');
    expect(masked('x --password=$(rm -rf src)')).toContain('$(rm -rf src)');
  });
});
