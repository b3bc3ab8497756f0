import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findInstallation } from '../../../src/cli/commands/upgrade/find-installation.ts';
import { memoryFolder } from '../../helpers/memory-folder.ts';
import { ensureBuilt, root, SvcHome } from '../svc-binary.ts';

const folder = memoryFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program at a path of its own, with the files that say how it was installed. */
function install(directory: string, files: Record<string, unknown> = {}): string {
  const all = { [`${directory}/package.json`]: { name: 'svc' }, ...files };
  for (const [path, content] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(content));
  }
  return join(folder, directory, 'bin/svc.js');
}
const lockWith = (resolved: string) => ({ packages: { 'node_modules/svc': { resolved } } });

describe('findInstallation', () => {
  it('recognizes a git checkout', () => {
    const program = install('clone', { 'clone/.git/HEAD': '' });
    const directory = join(folder, 'clone');
    expect(findInstallation(program)).toMatchObject({
      kind: 'git',
      directory,
      commands: [
        ['git', '-C', directory, 'pull', '--ff-only'],
        ['npm', 'install', '--prefix', directory],
      ],
    });
  });

  it('recognizes a global package and a dependency of a project', () => {
    expect(findInstallation(install('usr/lib/node_modules/svc'))).toMatchObject({
      kind: 'npm-global',
      commands: [['npm', 'install', '--global', 'svc@latest']],
      removal: ['npm', 'uninstall', '--global', 'svc'],
    });
    const program = install('app/node_modules/@scope/svc', {
      'app/package.json': {},
      'app/node_modules/@scope/svc/package.json': { name: '@scope/svc' },
    });
    expect(findInstallation(program)).toMatchObject({
      kind: 'npm-local',
      commands: [['npm', 'install', '--prefix', join(folder, 'app'), '@scope/svc@latest']],
    });
  });

  it('takes a package from where it came, never one of the same name from the registry', () => {
    const privately = { name: 'svc', private: true };
    const from = (resolved: string) =>
      findInstallation(
        install('from/lib/node_modules/svc', {
          'from/lib/node_modules/svc/package.json': privately,
          'from/lib/node_modules/.package-lock.json': lockWith(resolved),
        }),
      ).commands;
    expect(from('git+ssh://git@example.org/svc.git#0123abc')).toEqual([
      ['npm', 'install', '--global', 'git+ssh://git@example.org/svc.git'],
    ]);
    expect(from('file:../svc-0.1.0.tgz')).toEqual([]);
    const program = install('private/lib/node_modules/svc', {
      'private/lib/node_modules/svc/package.json': privately,
    });
    expect(findInstallation(program).commands).toEqual([]);
  });

  it('knows nothing to run for npx and for a copy', () => {
    expect(findInstallation(install('.npm/_npx/1/node_modules/svc'))).toMatchObject({
      kind: 'npx',
      commands: [],
    });
    expect(findInstallation(install('copy'))).toMatchObject({ kind: 'unknown', commands: [] });
  });
});

describe('svc upgrade', () => {
  beforeAll(ensureBuilt, 120_000);

  it('says what it would do, and does it only with --yes: backup, upgrade, restart', async () => {
    await using home = await SvcHome.create();
    const checkout = join(folder, 'checkout');
    install('checkout', { 'checkout/.git/HEAD': '' });
    cpSync(join(root, 'bin'), join(checkout, 'bin'), { recursive: true });
    cpSync(join(root, 'package.json'), join(checkout, 'package.json'));
    for (const name of ['dist', 'node_modules']) symlinkSync(join(root, name), join(checkout, name));
    const programs = join(folder, 'programs');
    const called = join(folder, 'called');
    mkdirSync(programs);
    const stub = (name: string, last: string) => {
      writeFileSync(join(programs, name), `#!/bin/sh\necho "${name} $*" >> '${called}'\n${last}\n`);
      chmodSync(join(programs, name), 0o755);
    };
    stub('git', 'exit 0');
    stub('npm', 'exit 0');
    const svc = async (...args: string[]) => {
      const { exitCode, stdout, stderr } = await execa(
        process.execPath,
        [join(checkout, 'bin/svc.js'), ...args],
        {
          reject: false,
          extendEnv: false,
          env: { ...home.env, PATH: `${programs}:${home.env['PATH']}` },
        },
      );
      return { code: exitCode, stdout, stderr };
    };
    await home.svc(['daemon', 'start']);
    const before = home.daemonPid;
    const said = await svc('upgrade');
    expect(said).toMatchObject({
      code: 0,
      stdout: `svc backup\ngit -C ${checkout} pull --ff-only\nnpm install --prefix ${checkout}\nsvc daemon restart`,
    });
    expect(said.stderr).toContain(`a git checkout: ${checkout}`);
    expect(home.daemonPid).toBe(before);

    const done = await svc('upgrade', '--yes');
    expect(done.code, done.stderr).toBe(0);
    expect(readFileSync(called, 'utf8')).toBe(
      `git -C ${checkout} pull --ff-only\nnpm install --prefix ${checkout}\n`,
    );
    expect(readdirSync(join(home.folder, 'backups'))).toHaveLength(1);
    expect(home.daemonPid).not.toBe(before);

    stub('git', 'exit 3');
    rmSync(called);
    const failed = await svc('upgrade', '--yes');
    expect(failed).toMatchObject({ code: 1 });
    expect(failed.stderr).toContain('pull --ff-only failed (3).');
    expect(readFileSync(called, 'utf8')).toBe(`git -C ${checkout} pull --ff-only\n`);
  });
});
