import { isSecretPath } from '../../paths/secret-paths.ts';
import type { SecretFiles } from '../../paths/secret-files.ts';
import { isProtectedPath } from '../guards/secret-exfiltration.ts';
import type { ToolAccess, ToolContext } from '../tool.ts';
import { ToolFailure } from '../tool.ts';
import { argvsOf, type ParsedLine } from './parse-command.ts';
import { hasPlainRepository } from './plain-repository.ts';
import { isHarmlessAnywhere, walksDirectories } from './read-only-commands.ts';
import { whyRisky } from './risky-programs.ts';
import { inspectWorkspace } from './inspect-workspace.ts';

/** What the mode `full` does with commands where there is no sandbox. */
export type Unsandboxed = 'ask' | 'allow';

export interface JudgeDeps {
  /** What an administrator has set; default: ask. */
  unsandboxed?: () => Unsandboxed;
  /** Real paths of the daemon's own directories. */
  protectedDirectories?: string[];
  secretFiles?: SecretFiles;
}

/** Whether a command needs an approval, and why. Throws if it may not run at all. `noSandbox` is why there is no sandbox. */
export async function judge(
  deps: JudgeDeps,
  line: ParsedLine,
  cwd: string,
  context: ToolContext,
  noSandbox: string | undefined,
): Promise<Pick<ToolAccess, 'needsPerson' | 'isAskedInFull'>> {
  const argvs = argvsOf(line);
  const checked = await Promise.all(
    argvs.map(async (argv) =>
      (await isHarmlessHere(deps, argv, cwd, context, noSandbox)) ? undefined : argv,
    ),
  );
  const others = checked.filter((argv) => argv !== undefined);
  if (others.length === 0) return {};
  const risk = others.map(whyRisky).find((reason) => reason !== undefined);
  if (noSandbox === undefined) return risk === undefined ? {} : { needsPerson: risk };
  if (!context.mayRunCommands)
    throw new ToolFailure(`There is no sandbox here (${noSandbox}), so only read-only commands may run`);
  if (context.mode === 'full' && risk === undefined && deps.unsandboxed?.() === 'allow') return {};
  return {
    needsPerson: `${risk === undefined ? '' : `${risk}. `}There is no sandbox here (${noSandbox}), so it can access everything that the daemon can`,
    ...(risk === undefined && { isAskedInFull: true }),
  };
}

async function isHarmlessHere(
  deps: JudgeDeps,
  argv: readonly string[],
  cwd: string,
  context: ToolContext,
  noSandbox: string | undefined,
): Promise<boolean> {
  if (noSandbox !== undefined && argv[0] === 'git' && !(await hasPlainRepository(cwd, context.workspace)))
    return false;
  if (isHarmlessAnywhere(argv)) return true;
  if (noSandbox === undefined || !walksDirectories(argv) || whyRisky(argv) !== undefined) return false;
  // A sandbox hides what may not be read; without one, there must be nothing of the kind.
  const { secretFiles, protectedDirectories = [] } = deps;
  const { workspace, signal } = context;
  const { hidden } = await inspectWorkspace(workspace, {
    mayRead: (path) => !isSecretPath(path) && !isProtectedPath(path, protectedDirectories, workspace),
    ...(secretFiles && { isSecret: (path: string) => secretFiles.isSecret(path, workspace) }),
    signal,
  });
  return hidden.length === 0;
}
