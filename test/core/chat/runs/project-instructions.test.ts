import { describe, expect, it } from 'vitest';
import { projectRootOf } from '../../../../src/core/paths/project-root.ts';
import { ProjectInstructions } from '../../../../src/core/chat/runs/project-instructions.ts';
import { canary, plantTree } from '../../tools/test-tree.ts';

const read = async (workspace: string, touched?: string[]) =>
  ProjectInstructions.read(workspace, await projectRootOf(workspace), touched);

describe('the instructions of a project', () => {
  it('are those from the root of the repository down to the workspace', async () => {
    await using tree = await plantTree();
    await tree.write('.git/HEAD');
    await tree.write('AGENTS.md', 'at the root');
    await tree.write('CLAUDE.md', 'not read beside AGENTS.md');
    await tree.write('apps/CLAUDE.md', 'of the apps');
    await tree.write('apps/web/AGENTS.md', 'of the web app');
    await tree.write(`${tree.root}/AGENTS.md`, 'above the repository');
    const project = await read(`${tree.workspace}/apps/web`);
    expect(project.files).toEqual(['AGENTS.md', 'apps/CLAUDE.md', 'apps/web/AGENTS.md']);
    const { text = '' } = project;
    const positions = ['at the root', 'of the apps', 'of the web app'].map((part) => text.indexOf(part));
    expect(positions.every((position, index) => position > (positions[index - 1] ?? 0))).toBe(true);
    expect(text).not.toMatch(/not read|above the repository/);
  });

  it('outside of a repository are those of the workspace alone', async () => {
    await using tree = await plantTree();
    await tree.write('AGENTS.md', 'here');
    await tree.write(`${tree.root}/AGENTS.md`, 'above');
    expect((await read(tree.workspace)).files).toEqual(['AGENTS.md']);
  });

  it('of deeper directories are read when a call touches them, once', async () => {
    await using tree = await plantTree();
    await tree.write('api/AGENTS.md', 'of the api');
    const project = await read(tree.workspace);
    expect(project.text).toBeUndefined();
    expect(await project.touch([`${tree.workspace}/README.md`])).toBe(false);
    expect(await project.touch([`${tree.workspace}/api/src/new/file.ts`])).toBe(true);
    expect(await project.touch([`${tree.workspace}/api/other.ts`])).toBe(false);
    expect(project.files).toEqual(['api/AGENTS.md']);
    const resumed = await read(tree.workspace, [`${tree.workspace}/api/src/new/file.ts`]);
    expect(resumed.text).toBe(project.text);
  });

  it('follow a link inside the project, and none that leads out of it', async () => {
    await using tree = await plantTree();
    await tree.write('.git/HEAD');
    await tree.write('docs/agents.txt', 'linked');
    await tree.link('docs/agents.txt', 'AGENTS.md');
    await tree.write(`${tree.outside}/secret.txt`, canary);
    await tree.link(`${tree.outside}/secret.txt`, 'api/AGENTS.md');
    const project = await read(tree.workspace);
    await project.touch([`${tree.workspace}/api/x.ts`, `${tree.outside}/secret.txt`]);
    expect(project.text).toContain('linked');
    expect(project.text).not.toContain(canary);
  });

  it('are cut where they are too long', async () => {
    await using tree = await plantTree();
    await tree.write('AGENTS.md', 'x'.repeat(40_000));
    const { text = '' } = await read(tree.workspace);
    expect(text).toContain('The rest was left out');
    expect(text.length).toBeLessThan(34_000);
  });
});
