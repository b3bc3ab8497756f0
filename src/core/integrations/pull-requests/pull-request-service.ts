import type {
  OpenedPullRequest,
  OpenPullRequest,
  PushedChanges,
  WaitingPublication,
} from '../../../contract/changes.ts';
import type { PublishingOperation } from '../../../contract/publishing.ts';
import type { AuditLog } from '../../audit/audit-log.ts';
import { type Caller, requireCommandRights, requireOwned } from '../../auth/caller.ts';
import type { CommittedBranch, WorktreeChanges } from '../../changes/worktree-changes.ts';
import { AppError } from '../../errors.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { ApprovalRow } from '../../storage/rows/approvals.ts';
import { type StoredTask, toTask } from '../../tasks/task-mapping.ts';
import type { TaskStore } from '../../tasks/task-store.ts';
import { pushAddress, pushBranch } from '../../worktrees/push-branch.ts';
import type { Worktrees } from '../../worktrees/worktrees.ts';
import { type GithubAccessDeps, githubAccessOf, repositoryOf } from './github-access.ts';
import { type GithubAccess, GithubPulls, type GithubRepository, type OpenPull } from './github-pulls.ts';
import type { PublicationApprovals } from './publication-approvals.ts';
import type { PublicationOptions, PublicationStore } from './publication-store.ts';
import type { PullRequestStore } from './pull-request-store.ts';
import { publicTitle, pullRequestBody } from './pull-request-text.ts';

export interface PullRequestServiceDeps extends GithubAccessDeps {
  database: Database;
  taskStore: Pick<TaskStore, 'find'>;
  store: PullRequestStore;
  publicationApprovals: Pick<PublicationApprovals, 'take'>;
  publicationStore: Pick<PublicationStore, 'finish'>;
  worktrees: Pick<Worktrees, 'isTrusted' | 'pullRequestOf'>;
  worktreeChanges: Pick<WorktreeChanges, 'publish'>;
  audit: AuditLog;
  runtime: Runtime;
}

/** A branch at GitHub. */
interface Target {
  pulls: GithubPulls;
  repository: GithubRepository;
  branch: CommittedBranch;
  /** The login of the connected account. */
  account: string;
  /** The pull request that the branch has; looked for only where one is asked for. */
  existing: OpenPull | undefined;
}

/** A branch at GitHub, as a push left it, and the decision that allowed it where it needed one. */
type Pushed = Target & { isNew: boolean; decided: ApprovalRow | undefined };

/** What is asked for: a push, or a push and a pull request. */
interface Operation<T extends object> {
  name: PublishingOperation;
  /** What the pull request is to say, as it was asked for. */
  options: PublicationOptions;
  /** What a person who decides has to know of it besides the branch. */
  describe: (task: StoredTask, target: Target) => Record<string, unknown>;
  finish: (task: StoredTask, pushed: Pushed) => Promise<T>;
}

export interface PublishContext {
  /** The network address of the request. */
  address?: string | undefined;
  /** The decision because of which it happens now; it then asks for no other one. */
  decided?: ApprovalRow | undefined;
}

/**
 * Pushes the branches of tasks to GitHub and opens pull requests, with the account that the owner of the task connected.
 * Work from text that svc does not trust waits until a person has allowed exactly this commit.
 */
export class PullRequestService {
  readonly #deps: PullRequestServiceDeps;
  constructor(deps: PullRequestServiceDeps) {
    this.#deps = deps;
  }

  /** Commits what is not committed, and pushes the branch. */
  async push(
    caller: Caller,
    id: string,
    context: PublishContext = {},
  ): Promise<PushedChanges | WaitingPublication> {
    const operation: Operation<PushedChanges> = {
      name: 'push_changes',
      options: {},
      describe: () => ({}),
      finish: async (_, { repository, branch, isNew }) => {
        const { row } = branch;
        const pullRequest = await this.#deps.worktrees.pullRequestOf(row);
        return {
          message: isNew
            ? `Pushed ${row.branch} to ${repository.name}`
            : `${row.branch} is already pushed to ${repository.name}`,
          status: isNew ? 'pushed' : 'already_pushed',
          ...pushFields(repository, branch),
          ...(pullRequest && { pullRequest }),
        };
      },
    };
    return this.#publish(caller, id, operation, context);
  }

  /** Does the same, and opens a pull request unless the branch has an open one. */
  async open(
    caller: Caller,
    id: string,
    options: OpenPullRequest,
    context: PublishContext = {},
  ): Promise<OpenedPullRequest | WaitingPublication> {
    const { title, body, draft, base: wanted } = options;
    const fieldsOf = (stored: StoredTask, { repository }: Target) => {
      const task = toTask(stored);
      const base = wanted ?? task.branch ?? repository.defaultBranch;
      return { base, title: title ?? publicTitle(task.title), draft };
    };
    const operation: Operation<OpenedPullRequest> = {
      name: 'open_pull_request',
      options,
      describe: (task, target) => {
        const { base, ...fields } = fieldsOf(task, target);
        return { into: base, ...fields, ...(body !== undefined && { body }) };
      },
      finish: async (task, pushed) => {
        const { pulls, repository, branch, existing, isNew } = pushed;
        const opened =
          existing ??
          (await pulls.create({
            repository: repository.name,
            branch: branch.row.branch,
            ...fieldsOf(task, pushed),
            body: await pullRequestBody(toTask(task), body),
          }));
        const pullRequest = { url: opened.url, number: opened.number };
        await this.#recordPullRequest({ caller, id, context }, pushed, opened);
        return {
          message: existing
            ? `Pull request #${opened.number} of ${repository.name} is open already`
            : `Opened pull request #${opened.number} of ${repository.name}`,
          status: existing ? 'existing' : 'created',
          pushed: isNew,
          ...pushFields(repository, branch),
          base: opened.base,
          pullRequest,
        };
      },
    };
    return this.#publish(caller, id, operation, context);
  }

  /** Checks the rights, asks where a person has to decide, and pushes; nothing else changes the worktree meanwhile. */
  async #publish<T extends object>(
    caller: Caller,
    id: string,
    operation: Operation<T>,
    context: PublishContext,
  ): Promise<T | WaitingPublication> {
    const { taskStore, worktreeChanges, worktrees } = this.#deps;
    const task = requireOwned(caller, await taskStore.find(id), 'Task');
    requireCommandRights(caller);
    if (task.owner_id !== caller.userId)
      throw new AppError(
        'forbidden',
        'Only the owner of a task can push it, because it is pushed with their GitHub account',
      );
    const { login: account, ...access } = await githubAccessOf(this.#deps, caller.userId);
    const order = { message: publicTitle, address: context.address };
    return worktreeChanges.publish(caller, id, order, async (branch) => {
      await this.#requirePublishable(branch);
      const pulls = new GithubPulls(access);
      const repository = await pulls.repository(await repositoryOf(task, branch, access.origin));
      this.#deps.outbound.check(access.origin);
      const existing =
        operation.name === 'open_pull_request'
          ? await pulls.find(repository.name, branch.row.branch)
          : undefined;
      const target: Target = { pulls, repository, branch, account, existing };
      const push = async (decided?: ApprovalRow) => {
        const isNew = await this.#push({ caller, id, context }, { target, access, decided });
        return operation.finish(task, { ...target, isNew, decided });
      };
      if (await worktrees.isTrusted(branch.row)) return push();
      // What GitHub has already was allowed before.
      if (await isPublished(operation.name, target))
        return operation.finish(task, { ...target, isNew: false, decided: undefined });
      return this.#publishApproved({ operation, task, target, access, context }, push);
    });
  }

  /** Does the work once a person has allowed exactly this; keeps what it came to for those who wait for it. */
  async #publishApproved<T extends object>(
    {
      operation,
      task,
      target,
      access,
      context,
    }: {
      operation: Operation<T>;
      task: StoredTask;
      target: Target;
      access: GithubAccess;
      context: PublishContext;
    },
    work: (decided: ApprovalRow) => Promise<T>,
  ): Promise<T | WaitingPublication> {
    const { publicationApprovals, publicationStore } = this.#deps;
    const { repository, branch, account } = target;
    const { row, commit } = branch;
    const taken = await publicationApprovals.take(
      {
        operation: operation.name,
        taskId: task.id,
        ownerId: task.owner_id,
        directory: row.checkout,
        target: {
          task: task.id,
          repository: repository.name,
          remote: pushAddress({ origin: access.origin, repository: repository.name }),
          account,
          branch: row.branch,
          base: row.base,
          commit,
          ...(await branch.summarize()),
          ...operation.describe(task, target),
        },
        options: operation.options,
      },
      context.decided,
    );
    if ('waiting' in taken)
      return {
        message: `${row.branch} waits for an approval, because the work comes from text that svc does not trust`,
        status: 'waiting_for_approval',
        ...pushFields(repository, branch),
        approval: taken.waiting,
      };
    try {
      const answer = await work(taken.granted);
      await publicationStore.finish(taken.granted.id, { answer });
      return answer;
    } catch (error) {
      if (error instanceof AppError)
        await publicationStore.finish(taken.granted.id, {
          error: { code: error.code, message: error.message },
        });
      throw error;
    }
  }

  async #push(
    request: Request,
    { target, access, decided }: { target: Target; access: GithubAccess; decided: ApprovalRow | undefined },
  ): Promise<boolean> {
    const { repository, branch } = target;
    const { row, commit, git } = branch;
    const { origin, token } = access;
    const push = { origin, token, repository: repository.name, branch: row.branch, commit };
    const isNew = await pushBranch(git, push);
    await this.#recordPush(request, { ...target, isNew, decided });
    return isNew;
  }

  async #requirePublishable({ row, commit, findSecrets }: CommittedBranch): Promise<void> {
    if (commit === row.base) throw new AppError('wrong_state', 'The task changed nothing that can be pushed');
    const secrets = await findSecrets();
    if (secrets.length > 0)
      throw new AppError(
        'conflict',
        `The commits have files that hold credentials: ${secrets.slice(0, 10).join(', ')}. Nothing was pushed. Remove the files from the branch, or push it yourself: git push origin ${row.branch}`,
      );
  }

  async #recordPush({ caller, id, context }: Request, pushed: Pushed): Promise<void> {
    const { database, store, audit, runtime } = this.#deps;
    const { repository, isNew, branch, account, decided } = pushed;
    const { row, commit } = branch;
    await database.write(async (transaction) => {
      await store.putPush(transaction, {
        task_id: row.task_id,
        repository: repository.name,
        branch: row.branch,
        pushed_commit: commit,
        account,
        updated_at: runtime.now().toISOString(),
      });
      if (!isNew) return;
      await audit.append(transaction, {
        kind: 'security',
        tool: 'tasks.changes_pushed',
        userId: caller.userId,
        taskId: id,
        address: context.address,
        arguments: { repository: repository.name, branch: row.branch, commit, ...approvalOf(decided) },
        result: 'ok',
      });
    });
  }

  async #recordPullRequest(
    { caller, id, context }: Request,
    { repository, branch, existing, decided }: Pushed,
    { base, url, number }: OpenPull,
  ): Promise<void> {
    const { database, store, audit } = this.#deps;
    const pullRequest = { url, number };
    await database.write(async (transaction) => {
      const worktreeTaskId = branch.row.task_id;
      await store.putPullRequest(transaction, { worktreeTaskId, taskId: id, pullRequest });
      if (existing) return;
      await audit.append(transaction, {
        kind: 'security',
        tool: 'tasks.pull_request_opened',
        userId: caller.userId,
        taskId: id,
        address: context.address,
        arguments: { repository: repository.name, base, ...pullRequest, ...approvalOf(decided) },
        result: 'ok',
      });
    });
  }
}

interface Request {
  caller: Caller;
  id: string;
  context: PublishContext;
}

/** Whether GitHub has the commit, and the pull request where one is asked for. */
async function isPublished(operation: PublishingOperation, target: Target): Promise<boolean> {
  const { pulls, repository, branch, existing } = target;
  if (operation === 'open_pull_request' && !existing) return false;
  return (await pulls.commitOf(repository.name, branch.row.branch)) === branch.commit;
}

const approvalOf = (decided: ApprovalRow | undefined) =>
  decided && { approval: decided.id, approvedBy: decided.decided_by };

const pushFields = ({ name }: GithubRepository, { row, commit, isNew }: CommittedBranch) => ({
  repository: name,
  branch: row.branch,
  commit,
  committed: isNew,
});
