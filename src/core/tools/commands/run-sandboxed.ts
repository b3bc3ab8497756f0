import type { GitProtection } from '../../processes/git-protection.ts';
import type { Exit } from '../../processes/run-program.ts';
import type { Sandbox, SandboxedCommand } from '../../processes/sandbox.ts';
import { ToolFailure, type ToolScope } from '../tool.ts';
import { inspectWorkspace } from './inspect-workspace.ts';
import { disarmPlanted, identitiesOf } from './planted-repositories.ts';

/** The most files that are hidden one by one; the kernel limits the length of a command. */
const MAX_HIDDEN = 2000;

export interface RepositoryDeps {
  repositories: GitProtection;
}

export interface SandboxedRun {
  scope: ToolScope;
  signal: AbortSignal;
  /** False for programs that only read. */
  changesFiles: boolean;
}

/**
 * Runs a command in the sandbox, in which secrets are hidden and what git executes is read-only; afterwards looks for new
 * repositories in which git would run programs. Returns what the model should know besides the output.
 */
export async function runSandboxed(
  { sandbox, repositories }: { sandbox: Sandbox } & RepositoryDeps,
  command: SandboxedCommand,
  { scope, signal, changesFiles }: SandboxedRun,
  start: (argv: string[]) => Promise<Exit>,
): Promise<{ exit: Exit; notes: string[] }> {
  const { workspace } = command;
  await sandbox.checkWorkspace(workspace);
  const before = await inspectWorkspace(workspace, {
    mayRead: (path) => scope.mayRead(path),
    ...(scope.isSecret && { isSecret: scope.isSecret }),
    signal,
  });
  if (before.hidden.length > MAX_HIDDEN)
    throw new ToolFailure(
      `More than ${MAX_HIDDEN} files and folders of the workspace hold secrets, so that commands cannot run in it`,
    );
  const known = await identitiesOf(before.repositories);
  const notes = before.isCut
    ? [
        'The workspace has too many files to be searched for secrets. Folders that were not searched are hidden',
      ]
    : [];
  let exit: Exit;
  {
    await using guarded = await repositories.protect(workspace, before.repositories);
    const { hidden } = before;
    exit = await start(await sandbox.wrap({ ...command, hidden, protectedPaths: guarded.mounts }));
  }
  if (changesFiles) {
    const masked = new Set(before.hidden);
    const after = await inspectWorkspace(workspace, {
      mayRead: (path) => !masked.has(path),
      signal: new AbortController().signal,
    });
    notes.push(...(await disarmPlanted(workspace, after.repositories, known)));
  }
  return { exit, notes };
}
