import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt, root } from '../cli/svc-binary.ts';
import { temporaryFolder } from './daemon.ts';

/** A folder of a program that has only the packed package installed, with an empty home beside it. */
export function installPackage(): { folder: string; project: string; home: string } {
  ensureBuilt();
  const folder = temporaryFolder();
  const project = join(folder, 'project');
  const home = join(folder, 'home');
  for (const each of [project, home]) mkdirSync(each);
  writeFileSync(join(project, 'package.json'), '{"name":"program","private":true,"type":"module"}');
  const npm = (args: string[], cwd: string) =>
    execFileSync('npm', [...args, '--ignore-scripts', '--offline', '--no-audit', '--no-fund'], {
      cwd,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], HOME: home },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  const packed = npm(['pack', root, '--json', '--pack-destination', folder], home);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  npm(['install', '--omit=optional', join(folder, filename)], project);
  return { folder, project, home };
}
