import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { locate } from '../../../src/contract/locations.ts';
import { ownDirectories, ownFiles } from '../../../src/core/paths/own-directories.ts';
import { makeDirectory } from '../tools/commands/command-setup.ts';

const locationsIn = (home: string) => locate({ env: {}, platform: 'linux', home });

it('names the directories of the daemon before they exist', async () => {
  await using home = await makeDirectory();
  expect(ownDirectories(locationsIn(home.path))).toEqual([
    `${home.path}/.local/share/svc`,
    `${home.path}/.local/state/svc`,
    `${home.path}/.config/svc`,
  ]);
});

it('names them as they are given and where they really are', async () => {
  await using home = await makeDirectory();
  await mkdir(`${home.path}/dotfiles`);
  await symlink('dotfiles', `${home.path}/.config`);
  const found = ownDirectories(locationsIn(home.path));
  expect(found).toContain(`${home.path}/.config/svc`);
  expect(found).toContain(`${home.path}/dotfiles/svc`);
});

it('names own files as they are given and where they really are', async () => {
  await using home = await makeDirectory();
  await writeFile(`${home.path}/real`, 'seed');
  await symlink('real', `${home.path}/link`);
  expect(ownFiles([`${home.path}/link`, `${home.path}/gone`])).toEqual([
    `${home.path}/real`,
    `${home.path}/link`,
    `${home.path}/gone`,
  ]);
});
