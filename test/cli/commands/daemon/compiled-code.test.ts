import { existsSync, mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { pruneCompiledCode } from '../../../../src/cli/commands/daemon/compiled-code.ts';
import { memoryFolder } from '../../../helpers/memory-folder.ts';

it('removes the compiled code of two months ago and keeps the rest', async () => {
  const folder = memoryFolder();
  const now = new Date('2026-11-23T12:00:00Z');
  const file = (name: string, days: number) => {
    const path = join(folder, 'v24.21.0-x64', name);
    mkdirSync(join(folder, 'v24.21.0-x64'), { recursive: true });
    writeFileSync(path, 'code');
    const at = new Date(now.getTime() - days * 24 * 60 * 60 * 1000);
    utimesSync(path, at, at);
    return path;
  };
  const [old, recent] = [file('old', 61), file('recent', 59)];
  await pruneCompiledCode(now, folder);
  expect([existsSync(old), existsSync(recent)]).toEqual([false, true]);
  rmSync(folder, { recursive: true });
});
