import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, SvcHome } from '../../svc-binary.ts';

describe('the directories of tasks', () => {
  let home: SvcHome;
  let shop: string;
  let other: string;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
    shop = join(home.folder, 'shop');
    other = join(home.folder, 'shop-old');
    for (const directory of [join(shop, '.git'), join(shop, 'web'), other])
      mkdirSync(directory, { recursive: true });
    const create = (title: string, cwd: string[]) =>
      home.svc(['tasks', 'create', '--title', title, '--prompt', 'true', '--agent', 'command', ...cwd]);
    await create('root', ['--cwd', shop]);
    await create('below', ['--cwd', join(shop, 'web')]);
    await create('beside', ['--cwd', other]);
    await create('nowhere', []);
  });
  afterAll(() => home[Symbol.asyncDispose]());

  const titles = async (cwd: string, options: string[] = []) => {
    const { stdout } = await home.svc(['tasks', 'ls', '--here', '--fields', 'title', ...options], { cwd });
    return (JSON.parse(stdout) as { tasks: { title: string }[] }).tasks.map(({ title }) => title);
  };

  it('choose the tasks that --here lists: those of the repository, or of a directory outside of one', async () => {
    expect(await titles(join(shop, 'web'))).toEqual(['below', 'root']);
    expect(await titles(other)).toEqual(['beside']);
    expect(await titles(shop, ['--all', '--status', 'failed'])).toEqual([]);
  });

  it('are a column in the short form, unless all are the same', async () => {
    const { stdout } = await home.svc(['tasks', 'ls', '--here'], { cwd: shop });
    expect(stdout).toMatch(/DIRECTORY +TITLE\n.* ~\/shop\/web +below\n.* ~\/shop +root\n$/);
    expect((await home.svc(['tasks', 'ls', '--here'], { cwd: other })).stdout).not.toContain('DIRECTORY');
  });

  it('are unknown of a daemon on another machine', async () => {
    const outcome = await home.svc(['tasks', 'ls', '--here', '--url', 'http://192.0.2.1:4310']);
    expect(outcome).toMatchObject({ code: 2, stderr: expect.stringContaining('on this machine') });
  });
});
