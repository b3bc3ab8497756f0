import { expect, it } from 'vitest';
import { repositoryNameOf } from '../../../src/core/worktrees/repository-names.ts';

it.each([
  ['https://github.com/acme/shop.git', 'acme/shop'],
  ['https://ann:ghp_secret@github.com/acme/shop', 'acme/shop'],
  ['git@github.com:acme/shop.git', 'acme/shop'],
  ['ssh://git@ssh.github.com:443/acme/shop.git', 'acme/shop'],
  ['https://gitlab.example.org/group/sub/shop.git/', 'gitlab.example.org/group/sub/shop'],
  ['git@Git.Example.org:~ann/shop', 'git.example.org/~ann/shop'],
  ['/srv/git/shop.git', undefined],
  ['../shop', undefined],
  ['file:///srv/git/shop', undefined],
  ['https://example.org/../../etc', undefined],
  ['', undefined],
])('names the repository at %s', (address, name) => {
  expect(repositoryNameOf(address)).toBe(name);
});
