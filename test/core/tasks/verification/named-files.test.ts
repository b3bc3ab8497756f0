import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { changedFiles, hashNamedFiles } from '../../../../src/core/tasks/verification/named-files.ts';
import { makeDirectory } from '../../tools/commands/command-setup.ts';

it('names the files of the commands that were changed or removed, and no others', async () => {
  await using directory = await makeDirectory();
  const write = (name: string, text: string) => writeFile(join(directory.path, name), text);
  await mkdir(join(directory.path, 'test'));
  for (const name of ['a.sh', 'b.sh', 'test/c.js', 'package.json', 'other.sh', 'same.sh'])
    await write(name, '1');
  const commands = ['sh a.sh && sh "./b.sh"', 'node test/c.js;npm test', 'cat /etc/passwd ../x same.sh'];
  const before = await hashNamedFiles(directory.path, commands);
  expect([...before.keys()].sort()).toEqual(['a.sh', 'b.sh', 'package.json', 'same.sh', 'test/c.js']);
  await write('a.sh', '2');
  await write('other.sh', '2');
  await write('package.json', '{}');
  await rm(join(directory.path, 'test/c.js'));
  const after = await hashNamedFiles(directory.path, commands);
  expect(changedFiles(before, after)).toEqual(['a.sh', 'test/c.js', 'package.json']);
});
