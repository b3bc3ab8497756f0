import { expect, it } from 'vitest';
import {
  gitOrigin,
  repositoryName,
  repositoryOfRemote,
} from '../../../../src/core/integrations/pull-requests/github-address.ts';

const origin = 'https://github.com';

it.each([
  ['https://api.github.com', 'https://github.com'],
  ['https://api.acme.ghe.com', 'https://acme.ghe.com'],
  ['https://git.acme.example/api/v3', 'https://git.acme.example'],
  ['http://127.0.0.1:8080/api', 'http://127.0.0.1:8080'],
])('the repositories of the API %s are at %s', (api, expected) => {
  expect(gitOrigin(api)).toBe(expected);
});

it('a token never travels without encryption to another machine', () => {
  expect(() => gitOrigin('http://git.acme.example/api/v3')).toThrow('Pushing needs https');
});

it.each([
  'https://github.com/octo/app.git',
  'https://github.com/octo/app',
  'https://github.com/octo/app/',
  'https://someone:token@github.com/octo/app.git',
  'git@github.com:octo/app.git',
  'github.com:octo/app',
  'ssh://git@github.com/octo/app.git',
  'ssh://git@ssh.github.com:443/octo/app.git',
])('%s names a repository', (remote) => {
  expect(repositoryOfRemote(remote, origin)).toBe('octo/app');
});

it.each([
  '',
  '/srv/octo/app.git',
  'https://github.com.evil.example/octo/app.git',
  'https://evil.example/github.com/octo/app.git',
  'https://github.com/octo/app/../../x/y',
  'https://github.com/octo/..',
  'git@evil.example:octo/app.git',
  'https://github.com/octo',
  'ext::sh -c touch% /tmp/x',
])('%j names none', (remote) => {
  expect(repositoryOfRemote(remote, origin)).toBeUndefined();
});

it('a name that leads elsewhere is none', () => {
  for (const name of ['octo', '../x', 'octo/..', 'a/b/c', 'octo/a b'])
    expect(repositoryName(name)).toBeUndefined();
  expect(repositoryName('octo/app')).toBe('octo/app');
});
