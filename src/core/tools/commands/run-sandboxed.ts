import type { GitMount, GitProtection } from '../../processes/git-protection.ts';
import { isInside } from '../../paths/real-path.ts';
import type { Exit } from '../../processes/start-program.ts';
import type { Sandbox, SandboxedCommand } from '../../processes/sandbox.ts';
import { ToolFailure, type ToolScope } from '../tool.ts';
import { inspectWorkspace } from './inspect-workspace.ts';
import { pathIdentities } from './path-identities.ts';
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
  /** Repositories outside of the workspace that the command may write to. */
  otherRepositories?: readonly string[];
}

/** The sandbox of a program that goes on working while its person works in the same directory. */
export interface RunningSandbox {
  /**
   * Whether it hides and protects all that one would that starts now. It loses the mount of a file that is replaced outside
   * of it, and knows nothing of one that is created there.
   */
  isCurrent(signal: AbortSignal): Promise<boolean>;
  /** Disarms the repositories that were created since its start in which git would run programs; returns a note for each. */
  disarm(): Promise<string[]>;
}

/**
 * Runs a command in the sandbox, in which secrets are hidden and what git executes is read-only; afterwards looks for new
 * repositories in which git would run programs. Returns what the model should know besides the output.
 */
export async function runSandboxed<End = Exit>(
  { sandbox, repositories }: { sandbox: Sandbox } & RepositoryDeps,
  command: SandboxedCommand,
  { scope, signal, changesFiles, otherRepositories = [] }: SandboxedRun,
  start: (argv: string[], running: RunningSandbox) => Promise<End>,
): Promise<{ exit: End; notes: string[] }> {
  const { workspace } = command;
  await sandbox.checkWorkspace(workspace);
  const inspect = (stop: AbortSignal) =>
    inspectWorkspace(workspace, {
      mayRead: (path) => scope.mayRead(path),
      ...(scope.isSecret && { isSecret: scope.isSecret }),
      signal: stop,
    });
  const before = await inspect(signal);
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
  const disarm = async () => {
    if (!changesFiles) return [];
    const masked = new Set(before.hidden);
    const after = await inspectWorkspace(workspace, {
      mayRead: (path) => !masked.has(path),
      signal: new AbortController().signal,
    });
    return disarmPlanted(workspace, after.repositories, known);
  };
  let exit: End;
  {
    // In a workspace that cannot be written to, a mount could only open what is closed.
    const protectable = command.isReadOnly ? [] : [...before.repositories, ...otherRepositories];
    await using guarded = await repositories.protect(workspace, protectable);
    const { hidden } = before;
    const protectedPaths = command.isReadOnly ? [] : guarded.mounts;
    const mounted = protectedPaths.map(({ path }) => path);
    const closed = command.isReadOnly ? [workspace] : protectedPaths.filter(isClosed).map(({ path }) => path);
    const atStart = await pathIdentities([...hidden, ...before.repositories, ...mounted]);
    const isCurrent = async (stop: AbortSignal) => {
      const now = await inspect(stop);
      const open = now.repositories.filter((path) => !closed.some((directory) => isInside(directory, path)));
      const identities = await pathIdentities([...now.hidden, ...open, ...mounted]);
      return [...identities].every(([path, identity]) => atStart.get(path) === identity);
    };
    exit = await start(await sandbox.wrap({ ...command, hidden, protectedPaths }), { isCurrent, disarm });
  }
  return { exit, notes: [...notes, ...(await disarm())] };
}

const isClosed = ({ isReadOnly }: GitMount) => isReadOnly;
