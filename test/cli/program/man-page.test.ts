import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadNouns } from '../../../src/cli/program/program.ts';
import type { CommandSpec } from '../../../src/cli/program/define-command.ts';
import { root } from '../svc-binary.ts';

const page = join(root, 'docs/reference/svc.1');
const hasGroff = spawnSync('groff', ['--version']).status === 0;
const pathsOf = (spec: CommandSpec, path: string): string[] =>
  spec.isHidden ? [] : [path, ...spec.commands.flatMap((child) => pathsOf(child, `${path} ${child.name}`))];

describe('the manual page', () => {
  it('is shipped with the package', () => {
    const { man, files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      man: string;
      files: string[];
    };
    expect(join(root, man)).toBe(page);
    expect(files).toContain(man);
  });

  it.skipIf(!hasGroff)('renders without a warning and shows every command (needs groff)', async () => {
    const render = (...args: string[]) => {
      const { stdout, stderr } = spawnSync('groff', ['-man', '-ww', '-Tascii', '-P-cbou', ...args, page], {
        encoding: 'utf8',
      });
      return { stdout, stderr };
    };
    const { stdout, stderr } = render('-rLL=200n');
    expect(stderr).toBe('');
    const lines = stdout.split('\n').map((line) => line.trim());
    for (const noun of await loadNouns([]))
      for (const path of pathsOf(noun, `svc ${noun.name}`)) expect(lines).toContain(path);
    expect(stdout).toContain('--idempotency-key <key>');
    expect(stdout).toMatch(/EXIT STATUS[^]*69 +the daemon cannot be reached/);
  });
});
