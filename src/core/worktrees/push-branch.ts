import { AppError } from '../errors.ts';
import { GitFailed } from '../processes/run-git.ts';
import { safeText } from '../text/safe-text.ts';
import type { RemoteAccess, RepositoryGit } from './repository-git.ts';

export interface Push {
  /** The origin of the server, without a slash at its end. */
  origin: string;
  /** `owner/repo` there. */
  repository: string;
  /** The account's token. */
  token: string;
  branch: string;
  commit: string;
}

/** The address to which a push goes. */
export const pushAddress = ({ origin, repository }: Pick<Push, 'origin' | 'repository'>): string =>
  `${origin}/${repository}.git`;

/**
 * Pushes a commit to a branch at the server, never with force. Resolves to false where the branch has it already. Throws a
 * `conflict` that says in plain words why the server refused; the token is in no argument, file or message.
 */
export async function pushBranch(git: RepositoryGit, push: Push): Promise<boolean> {
  const { origin, token, branch, commit } = push;
  const login = Buffer.from(`x-access-token:${token}`).toString('base64');
  const access: RemoteAccess = { origin, authorization: `Basic ${login}` };
  const args = ['push', '--porcelain', '--no-verify', '--no-signed', '--no-thin'];
  try {
    const target = [pushAddress(push), `${commit}:refs/heads/${branch}`];
    const printed = await git.runRemote([...args, ...target], access);
    return !/^=\t/m.test(printed.toString());
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    // The error of git is not passed on as the cause: it is logged, and a server may repeat what it was sent.
    throw new AppError('conflict', reasonOf(error, push, [token, login]));
  }
}

function reasonOf(
  { message, output }: GitFailed,
  { repository, branch }: Push,
  secrets: readonly string[],
): string {
  const rejected = /^!\t[^\n]*/m.exec(output)?.[0] ?? '';
  if (/fetch first|non-fast-forward|stale info/.test(rejected))
    return `The branch ${branch} of ${repository} has commits that the worktree does not have. Nothing was pushed. To push the worktree as it is, delete the branch at GitHub first.`;
  if (rejected !== '') {
    const remarks = [...message.matchAll(/^remote: *(.+)$/gm)].map(([, line]) => line).join(' ');
    return `GitHub refused the push to ${repository}: ${safeText(remarks || (rejected.split('\t').at(-1) ?? ''), secrets)}`;
  }
  if (/error: 401|could not read Username|Authentication failed/.test(message))
    return 'GitHub rejected the token of the connected account. Connect it again: svc integrations connect github --again';
  if (/error: 403/.test(message))
    return `The connected GitHub account may not push to ${repository}. Ask for write access, or connect another account: svc integrations connect github --again`;
  if (/not found|error: 404/.test(message))
    return `GitHub does not know ${repository}, or the connected account may not see it`;
  const [end = ''] = message.split('\n').filter((line) => /^(?:fatal|error):/.test(line));
  return `The push to ${repository} failed: ${safeText(end.replace(/^(?:fatal|error): /, '') || 'Git gave no reason', secrets)}`;
}
