import { trimSlashes } from '../../../contract/trim-slashes.ts';
import type { CommittedBranch } from '../../changes/worktree-changes.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { Outbound } from '../../outbound/outbound-fetch.ts';
import { GitFailed } from '../../processes/run-git.ts';
import type { StoredTask } from '../../tasks/task-mapping.ts';
import type { ConnectionService } from '../oauth/connection-service.ts';
import { gitOrigin, repositoryName, repositoryOfRemote } from './github-address.ts';
import type { GithubAccess } from './github-pulls.ts';

export interface GithubAccessDeps {
  connections: Pick<ConnectionService, 'find' | 'accessToken'>;
  outbound: Outbound;
  config: Config;
}

/** The access that a user has connected, with the login of the account; throws where there is none. */
export async function githubAccessOf(
  { connections, config, outbound }: GithubAccessDeps,
  userId: string,
): Promise<GithubAccess & { login: string }> {
  const connection = await connections.find(userId, 'github');
  if (!connection)
    throw notConnected('No GitHub account is connected. Connect one: svc integrations connect github');
  const apiUrl = trimSlashes(config.get('integrations.github.apiUrl'));
  const origin = gitOrigin(apiUrl);
  const token = await connections.accessToken(userId, 'github').catch((error: unknown) => {
    if (!(error instanceof AppError && error.code === 'wrong_state')) throw error;
    throw notConnected(`${error.message}. Connect it: svc integrations connect github --again`);
  });
  const { username } = connection.account;
  return {
    apiUrl,
    origin,
    token,
    fetch: outbound.fetch,
    login: typeof username === 'string' ? username : '',
  };
}

/** The repository of the task, else that of the remote `origin` of its checkout. */
export async function repositoryOf(
  task: StoredTask,
  { git }: CommittedBranch,
  origin: string,
): Promise<string> {
  const named = task.repository === null ? undefined : repositoryName(task.repository);
  if (named !== undefined) return named;
  const remote = await git.text(['config', '--get', 'remote.origin.url']).catch((error: unknown) => {
    if (error instanceof GitFailed) return '';
    throw error;
  });
  const found = repositoryOfRemote(remote, origin);
  if (found !== undefined) return found;
  throw new AppError(
    'wrong_state',
    `The repository at GitHub is not known: the remote origin is ${remote === '' ? 'not set' : `not at ${new URL(origin).host}`}. Set it in your checkout: git remote add origin ${origin}/OWNER/REPO.git`,
  );
}

const notConnected = (message: string) =>
  new AppError('unavailable', message, {
    details: [{ path: 'integrations.github', message }],
    isLasting: true,
  });
