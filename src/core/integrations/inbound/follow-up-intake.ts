import type { CreateTask } from '../../../contract/task.ts';
import { wireName } from '../../../contract/vendors.ts';
import { SerialByKey } from '../../async/serial-by-key.ts';
import { grantOf } from '../../agents/agent-grant.ts';
import type { UserStore } from '../../auth/user-store.ts';
import { areAdmins } from '../../chat/runs/run-rights.ts';
import type { Config } from '../../config/config.ts';
import { AppError } from '../../errors.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { PullRequestRow } from '../../storage/rows/pull-requests.ts';
import { cutText } from '../../text/cut-text.ts';
import { fenceData } from '../../text/fence-data.ts';
import type { StoredTask } from '../../tasks/task-mapping.ts';
import type { TaskService } from '../../tasks/task-service.ts';
import { isTerminal } from '../../tasks/task-states.ts';
import type { TaskStore } from '../../tasks/task-store.ts';
import type { Worktrees } from '../../worktrees/worktrees.ts';
import type { PullRequestStore } from '../pull-requests/pull-request-store.ts';
import {
  type Delivery,
  type DeliveryLog,
  duplicateOf,
  type Outcome,
  type RecordedOutcome,
} from './delivery-log.ts';
import { fitName } from './fit-task.ts';
import { followUpStart, type FollowUpTermsDeps, inheritedFields } from './follow-up-terms.ts';
import { cleanText, isSame } from './lenient.ts';
import type { FollowUpRequest, SourceEvent } from './source-work.ts';

/** Loops between an agent and a check that never succeeds come to an end. */
const MAX_FOLLOW_UPS = 5;
const MAX_TEXT = 20_000;
const MAX_PROMPT = 100_000;

export interface FollowUpIntakeDeps extends FollowUpTermsDeps {
  database: Database;
  config: Pick<Config, 'get'>;
  deliveries: DeliveryLog;
  pullRequestStore: Pick<PullRequestStore, 'findByBranch' | 'addFollowUp'>;
  worktrees: Pick<Worktrees, 'find' | 'lastTaskOf'>;
  tasks: Pick<TaskService, 'continued' | 'createFor'>;
  taskStore: Pick<TaskStore, 'find' | 'isFollowUp' | 'addToPrompt'>;
  users: UserStore;
  runtime: Runtime;
}

/**
 * Prepares a task for what reviewers and checks say of pull requests that svc opened. It continues the last task in the
 * worktree. It runs by itself, under the limits of untrusted work, where that task had them too and there is a sandbox; else
 * it waits until a person who may run commands has read the text and releases it.
 */
export class FollowUpIntake {
  readonly #deps: FollowUpIntakeDeps;
  readonly #byPullRequest = new SerialByKey();
  constructor(deps: FollowUpIntakeDeps) {
    this.#deps = deps;
  }

  /** Undefined where svc did not open the pull request. */
  async take(
    delivery: Delivery,
    event: SourceEvent,
    request: FollowUpRequest,
  ): Promise<RecordedOutcome | undefined> {
    const { pullRequestStore } = this.#deps;
    const { repository, branch } = request;
    const found = await pullRequestStore.findByBranch(repository, branch);
    if (!found) return undefined;
    return this.#byPullRequest.enqueue(found.task_id, async () => {
      // Another delivery may have come in between.
      const row = (await pullRequestStore.findByBranch(repository, branch)) ?? found;
      const order = { delivery, event, request, row };
      const known = await this.#deps.database.write((transaction) =>
        this.#deps.deliveries.known(transaction, delivery),
      );
      const earlier = duplicateOf(known);
      if (earlier) return this.#record(order, earlier);
      try {
        return await this.#follow(order);
      } catch (error) {
        if (!(error instanceof AppError) || error.code === 'unavailable' || error.code === 'storage_full')
          throw error;
        return this.#record(order, { status: 'ignored', reason: error.message });
      }
    });
  }

  async #follow(order: Order): Promise<RecordedOutcome> {
    const { worktrees, taskStore, users } = this.#deps;
    const { row, request, event, delivery } = order;
    const ignore = (reason: string) => this.#record(order, { status: 'ignored', reason });
    if (request.commit === undefined && isSame(event.sender, row.account))
      return ignore(`${event.sender} opened the pull request with svc`);
    if (request.commit !== undefined && request.commit !== row.pushed_commit)
      return ignore('The check ran on another commit than the one that svc pushed last');
    const worktree = await worktrees.find(row.task_id);
    const lastId = worktree && (await worktrees.lastTaskOf(worktree));
    const last = lastId === undefined ? undefined : await taskStore.find(lastId);
    if (!last || worktree?.state === 'discarded') return ignore('The worktree of the pull request is gone');
    if (!isTerminal(last.status)) {
      const added = (await taskStore.isFollowUp(last.id)) && (await this.#add(order, last));
      return (
        added ||
        ignore(
          `The task ${last.id} works in the worktree. Once it has finished: svc webhooks replay ${delivery.id}`,
        )
      );
    }
    if (row.follow_ups >= MAX_FOLLOW_UPS)
      return ignore(`The pull request has had ${MAX_FOLLOW_UPS} follow-ups, the most that svc creates`);
    if (!(await areAdmins(users, last.owner_id)))
      return ignore('The owner of the task may not run commands any more');
    return this.#create(order, last);
  }

  /**
   * The follow-up that has not started yet gets the text too: a review comes as one delivery per comment. Undefined where it
   * has.
   */
  async #add(order: Order, waiting: StoredTask): Promise<RecordedOutcome | undefined> {
    const { database, taskStore, runtime } = this.#deps;
    const text = this.#fenced(order.request);
    if ((waiting.prompt?.length ?? 0) + text.length > MAX_PROMPT)
      return this.#record(order, {
        status: 'ignored',
        reason: `The follow-up ${waiting.id} has no room for more`,
      });
    const addition = { text: `\n\n${text}`, now: runtime.now() };
    if (!(await database.write((transaction) => taskStore.addToPrompt(transaction, waiting, addition))))
      return undefined;
    const reason =
      waiting.held === 1
        ? 'Added to the follow-up that waits for its release'
        : 'Added to the follow-up that has not started yet';
    return this.#record(order, { status: 'accepted', taskId: waiting.id, reason });
  }

  async #create(order: Order, last: StoredTask): Promise<RecordedOutcome> {
    const { tasks, taskStore, pullRequestStore, deliveries, config, runtime } = this.#deps;
    const { row, request, event, delivery } = order;
    // A person named the commands of the first task, and each follow-up has them from the one before.
    const isVerifyVouched =
      last.is_trusted === 1 || grantOf(last)?.kind === 'follow_up' || (await taskStore.isFollowUp(last.id));
    const caller = { userId: last.owner_id, role: 'admin' } as const;
    const source = wireName('github');
    const input: CreateTask = {
      ...inheritedFields(this.#deps, last, { isVerifyVouched }),
      title: `Follow up on pull request #${row.number} of ${row.repository}`,
      prompt: `${instructions}\n\n${this.#fenced(request)}`,
      priority: last.priority,
      source,
      sourceId: `${row.repository}#${row.number}`,
      ...(row.url !== null && { sourceUrl: row.url }),
      repository: row.repository,
      labels: [],
      continues: last.id,
      metadata: {
        inbound: {
          provider: source,
          deliveryId: delivery.deliveryId,
          event: fitName(event.event),
          ...(event.sender !== undefined && { sender: fitName(event.sender) }),
        },
      },
    };
    const continued = await tasks.continued(caller, input);
    const { assignedAgent: agent = '' } = continued;
    const start = await followUpStart(this.#deps, { last, agent, rule: request.rule });
    const { answer } = await tasks.createFor<RecordedOutcome>(caller, continued, {
      scope: 'follow-up',
      key: undefined,
      body: undefined,
      isText: true,
      isTrusted: false,
      isVerifyVouched,
      ...('hold' in start
        ? { hold: start.hold }
        : {
            grant: start.grant,
            notBefore: new Date(runtime.now().getTime() + config.get('webhooks.inbound.followUpDelayMs')),
          }),
      // Another daemon may have received it as well.
      instead: async (transaction) => {
        const known = await deliveries.known(transaction, delivery);
        const outcome = duplicateOf(known);
        return outcome && deliveries.write(transaction, delivery, { event, known, outcome });
      },
      attach: async (transaction, { id }) => {
        await pullRequestStore.addFollowUp(transaction, {
          task_id: id,
          worktree_task_id: row.task_id,
          pushes: request.pushes ? 1 : 0,
        });
        const known = await deliveries.known(transaction, delivery);
        const outcome: Outcome = { status: 'accepted', taskId: id };
        return deliveries.write(transaction, delivery, { event, known, outcome });
      },
    });
    return answer;
  }

  #record({ delivery, event }: Order, outcome: Outcome): Promise<RecordedOutcome> {
    const { database, deliveries } = this.#deps;
    return database.write(async (transaction) => {
      const known = await deliveries.known(transaction, delivery);
      return deliveries.write(transaction, delivery, { event, known, outcome });
    });
  }

  #fenced({ what, text, url }: FollowUpRequest): string {
    const clean = cleanText(text);
    const cut = clean.length > MAX_TEXT ? `${cutText(clean, MAX_TEXT)}\n[truncated]` : clean;
    return fenceData(this.#deps.runtime, what, url === undefined ? cut : `${cut}\n\n${cleanText(url)}`);
  }
}

interface Order {
  delivery: Delivery;
  event: SourceEvent;
  request: FollowUpRequest;
  row: PullRequestRow;
}

const instructions =
  'The pull request for your work was reviewed or its checks failed. Look at what was said, decide what is right about it, and change the work where it has to be changed.';
