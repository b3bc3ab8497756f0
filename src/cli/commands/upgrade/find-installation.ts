import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readJsonFile } from '../../input/json-file.ts';

/** How svc came to this machine, and what brings a newer one. */
export interface Installation {
  kind: 'git' | 'npm-global' | 'npm-local' | 'npx' | 'unknown';
  /** The directory of the program. */
  directory: string;
  name: string;
  /** What upgrades it, in order; empty where that is not known. */
  commands: string[][];
  /** What removes it. */
  removal: string[] | undefined;
}

/** Finds out from the files around the program; `program` is its real path, `<directory>/bin/svc.js`. */
export function findInstallation(program: string): Installation {
  const directory = dirname(dirname(program));
  const { name = 'svc', private: isPrivate = false } = (readJsonFile(join(directory, 'package.json')) ??
    {}) as {
    name?: string;
    private?: boolean;
  };
  const base = { directory, name };
  if (existsSync(join(directory, '.git')))
    return {
      ...base,
      kind: 'git',
      commands: [
        ['git', '-C', directory, 'pull', '--ff-only'],
        ['npm', 'install', '--prefix', directory],
      ],
      removal: undefined,
    };
  const modules = modulesOf(directory, name);
  if (modules === undefined) return { ...base, kind: 'unknown', commands: [], removal: undefined };
  if (/\/_npx\//.test(directory)) return { ...base, kind: 'npx', commands: [], removal: undefined };
  const project = dirname(modules);
  const isLocal = existsSync(join(project, 'package.json'));
  const place = isLocal ? ['--prefix', project] : ['--global'];
  const source = sourceOf(modules, name, isPrivate);
  return {
    ...base,
    kind: isLocal ? 'npm-local' : 'npm-global',
    commands: source === undefined ? [] : [['npm', 'install', ...place, source]],
    removal: ['npm', 'uninstall', ...place, name],
  };
}

/** The `node_modules` that a package is in; its name may have a scope. */
function modulesOf(directory: string, name: string): string | undefined {
  const above = name.split('/').reduce((path) => dirname(path), directory);
  return basename(above) === 'node_modules' ? above : undefined;
}

/** Where npm got it from, if a newer one may be there. A package of this name in the registry may be another program. */
function sourceOf(modules: string, name: string, isPrivate: boolean): string | undefined {
  const { packages = {} } = (readJsonFile(join(modules, '.package-lock.json')) ?? {}) as {
    packages?: Record<string, { resolved?: string }>;
  };
  const resolved = packages[`node_modules/${name}`]?.resolved;
  if (resolved?.startsWith('git')) return resolved.split('#', 1)[0];
  if (resolved?.startsWith('file:') || (isPrivate && !resolved?.startsWith('http'))) return undefined;
  return `${name}@latest`;
}
