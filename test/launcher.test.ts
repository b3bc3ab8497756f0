import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, root } from './cli/svc-binary.ts';
import { temporaryFolder } from './helpers/daemon.ts';

const program = join(root, 'bin/svc.js');

/** A home in which an earlier start found this Node.js, and programs before all others in PATH. */
function homeWith(runtime: string) {
  const home = temporaryFolder();
  const programs = join(home, 'bin');
  for (const folder of [programs, join(home, '.cache/svc')]) mkdirSync(folder, { recursive: true });
  writeFileSync(join(home, '.cache/svc/runtime'), `${runtime}\n`);
  const run = (...args: string[]) =>
    execFileSync(program, args, {
      env: { HOME: home, PATH: `${programs}${delimiter}${process.env['PATH']}` },
      encoding: 'utf8',
    });
  const place = (name: string, script: string) =>
    writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { run, place };
}

describe('the launcher', () => {
  beforeAll(ensureBuilt);

  it('starts the Node.js that an earlier start found, and no other', () => {
    const { run, place } = homeWith(process.execPath);
    place('node', 'echo "the wrong one"; exit 1');
    expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('looks for another when that one is gone', () => {
    const { run, place } = homeWith('/nowhere/bin/node');
    place('node', `exec "${process.execPath}" "$@"`);
    expect(run('--version')).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
