import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rootsOfArguments } from '../../../src/core/processes/program-roots.ts';

describe('what arguments make visible', () => {
  let top: string;
  beforeEach(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'svc-roots-')));
    mkdirSync(join(top, 'real/tools'), { recursive: true });
    writeFileSync(join(top, 'real/tools/play.js'), '');
    symlinkSync(join(top, 'real'), join(top, 'linked'));
  });
  afterEach(() => rmSync(top, { recursive: true }));

  it('is the directory of a file that they name', async () => {
    const args = ['--flag', join(top, 'real/tools/play.js'), join(top, 'real/tools'), '/nothing/here'];
    expect(await rootsOfArguments(args, [])).toEqual({ roots: [join(top, 'real/tools')], aliases: [] });
  });

  it('has the name with the link by which a file is named', async () => {
    expect(await rootsOfArguments([join(top, 'linked/tools/play.js')], [])).toEqual({
      roots: [join(top, 'real/tools')],
      aliases: [{ source: join(top, 'real/tools'), target: join(top, 'linked/tools') }],
    });
  });

  it('is never a closed directory, by whatever name, and no link of the system', async () => {
    writeFileSync(join(top, 'real/key'), '');
    const { roots, aliases } = await rootsOfArguments(
      [join(top, 'linked/key'), '/bin/sh'],
      [join(top, 'real/tools')],
    );
    expect(roots).toContain(join(top, 'real/key'));
    expect(roots).not.toContain(join(top, 'real'));
    expect(aliases).toEqual([]);
  });
});
