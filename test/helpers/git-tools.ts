import { onTestFinished } from 'vitest';
import { GitShells } from '../../src/core/processes/git-shells.ts';
import { systemRuntime } from '../../src/core/runtime.ts';
import { GitTools } from '../../src/core/worktrees/git-tools.ts';
import { temporaryFolder } from './daemon.ts';

/** Finds the git of this machine. Call it in a test, with whose end its shells end. */
export function gitTools(scratch = temporaryFolder()): GitTools {
  const shells = new GitShells(systemRuntime);
  onTestFinished(() => shells.close());
  return new GitTools({ env: { PATH: process.env['PATH'] }, scratch, shells });
}
