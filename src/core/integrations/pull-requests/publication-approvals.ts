import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { PublishingOperation } from '../../../contract/publishing.ts';
import { notOfCall } from '../../approvals/approval-facts.ts';
import type { ApprovalService } from '../../approvals/approval-service.ts';
import { toApproval } from '../../approvals/to-approval.ts';
import type { ApprovalStore } from '../../approvals/approval-store.ts';
import { AppError } from '../../errors.ts';
import type { Runtime } from '../../runtime.ts';
import type { Database } from '../../storage/database.ts';
import type { ApprovalRow } from '../../storage/rows/approvals.ts';
import { maskSecrets } from '../../tools/mask-secrets.ts';
import type { PublicationOptions, PublicationStore } from './publication-store.ts';

export interface PublicationApprovalsDeps {
  database: Database;
  approvals: Pick<ApprovalService, 'request'>;
  approvalStore: Pick<ApprovalStore, 'use'>;
  publicationStore: PublicationStore;
  runtime: Runtime;
}

/** A publication of untrusted work, with everything that a decision on it is bound to. */
export interface PublicationRequest {
  operation: PublishingOperation;
  taskId: string;
  ownerId: string;
  /** The checkout of the repository. */
  directory: string;
  /** What is published, and where; the person is shown all of it. */
  target: Record<string, unknown>;
  options: PublicationOptions;
}

/** Lets a person decide whether untrusted work is published: each approval is for one commit, and one publication. */
export class PublicationApprovals {
  readonly #deps: PublicationApprovalsDeps;
  constructor(deps: PublicationApprovalsDeps) {
    this.#deps = deps;
  }

  /**
   * Takes the approval of exactly this publication, after which it may happen once; without a decision it answers the
   * request that waits for one. A `decided` one of anything else is used up and throws a `conflict`.
   */
  async take(
    request: PublicationRequest,
    decided: ApprovalRow | undefined,
  ): Promise<{ granted: ApprovalRow } | { waiting: ReturnType<typeof toApproval> }> {
    const { database, approvalStore, runtime } = this.#deps;
    const binding = bindingOf(request);
    const approval = decided ?? (await this.#request(request, binding));
    if (approval.status === 'pending') return { waiting: toApproval(approval) };
    const now = runtime.now().toISOString();
    const isTaken = await database.write(({ db }) => approvalStore.use(db, approval.id, now));
    const again = `Request it again: ${commandOf(request)}`;
    if (!isTaken) throw new AppError('wrong_state', `The approval is used already, or has expired. ${again}`);
    if (approval.binding !== binding)
      throw new AppError(
        'conflict',
        `What would be published is not what was approved: the branch or its target has changed since. Nothing was pushed. ${again}`,
      );
    return { granted: approval };
  }

  #request(request: PublicationRequest, binding: string): Promise<ApprovalRow> {
    const { approvals, publicationStore } = this.#deps;
    const { operation, taskId, ownerId, directory, target, options } = request;
    return approvals.request(
      {
        // Not the id of the task, whose runs withdraw what they have asked for.
        run_id: `publish_${taskId}`,
        call_id: operation,
        owner_id: ownerId,
        conversation_id: null,
        task_id: taskId,
        scope_id: taskId,
        tool: operation,
        arguments: JSON.stringify(maskSecrets(target)),
        cwd: directory,
        danger: 'high',
        reason: `The work comes from text that svc does not trust. Review it first: svc tasks diff ${taskId}`,
        covers: 'nothing: each commit that is published needs an approval',
        ...notOfCall,
        binding,
      },
      (transaction, { id, requested_at }) =>
        publicationStore.insert(transaction, {
          id,
          task_id: taskId,
          options: JSON.stringify(options),
          requested_at,
        }),
    );
  }
}

/** The command that requests a publication. */
export const commandOf = ({ operation, taskId }: Pick<PublicationRequest, 'operation' | 'taskId'>): string =>
  `svc tasks ${operation === 'push_changes' ? 'push' : 'pr'} ${taskId}`;

const bindingOf = ({ operation, taskId, directory, target }: PublicationRequest): string =>
  hash('sha256', canonicalize({ operation, taskId, directory, target }) ?? '');
