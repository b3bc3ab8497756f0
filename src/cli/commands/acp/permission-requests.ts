import {
  type AgentContext,
  methods,
  type PermissionOption,
  RequestError,
  type ToolCallUpdate,
} from '@agentclientprotocol/sdk';
import { whyEachTime } from '../../../contract/always-covers.ts';
import type { Approval, ApprovalDecision } from '../../../contract/approvals.ts';
import { ApiError } from '../../../contract/client.ts';
import type { AcpDeps } from './acp-deps.ts';

interface PermissionDeps extends Pick<AcpDeps, 'connection' | 'formatError' | 'log'> {
  /** The id of the session. */
  id: string;
  client: AgentContext;
  describe: (toolCallId: string, approval: Approval) => ToolCallUpdate;
  /** Shows a note to the person. */
  tell: (note: string) => Promise<void>;
  /** Stops the turn. */
  cancel: () => Promise<void>;
}

/** Asks the person at the editor about calls that need approval, until there is a decision, here or elsewhere. */
export class PermissionRequests {
  readonly #deps: PermissionDeps;
  readonly #open = new Map<string, { withdrawn: AbortController; done: Promise<void> }>();

  constructor(deps: PermissionDeps) {
    this.#deps = deps;
  }

  ask(toolCallId: string, approval: Approval): void {
    const withdrawn = new AbortController();
    const { formatError, log } = this.#deps;
    const done = this.#ask(toolCallId, approval, withdrawn.signal).catch((error: unknown) =>
      log(formatError(error)),
    );
    this.#open.set(approval.id, { withdrawn, done });
  }

  /** Takes the question back: it was decided, here or elsewhere, or it expired. */
  decided({ id }: Approval): void {
    this.#open.get(id)?.withdrawn.abort();
  }

  /** Takes back all questions. */
  withdraw(): void {
    for (const { withdrawn } of this.#open.values()) withdrawn.abort();
  }

  /** The turn is over. */
  async end(): Promise<void> {
    this.withdraw();
    await Promise.all([...this.#open.values()].map(({ done }) => done));
    this.#open.clear();
  }

  async #ask(toolCallId: string, approval: Approval, withdrawn: AbortSignal): Promise<void> {
    const { client, id, describe, formatError, log, tell, cancel } = this.#deps;
    try {
      const { outcome } = await client.request(
        methods.client.session.requestPermission,
        { sessionId: id, toolCall: describe(toolCallId, approval), options: optionsOf(approval) },
        { cancellationSignal: withdrawn, stopWaitingOnCancel: true },
      );
      if (withdrawn.aborted) return;
      if (outcome.outcome === 'cancelled') await cancel();
      else await this.#decide(approval, outcome.optionId);
    } catch (error) {
      if (withdrawn.aborted) return;
      log(formatError(error));
      const reason = error instanceof RequestError ? '' : `${formatError(error)} `;
      await tell(`${reason}This call still waits for a decision: svc approvals allow ${approval.id}`);
    }
  }

  async #decide(approval: Approval, optionId: string): Promise<void> {
    const { optionId: decision } = optionsOf(approval).find((each) => each.optionId === optionId) ?? {};
    if (decision === undefined) throw new Error(`The editor answered with an unknown option: ${optionId}.`);
    try {
      await this.#deps.connection.decide(approval.id, { decision });
    } catch (error) {
      // Decided elsewhere, or expired; the stream reports which.
      if (!(error instanceof ApiError) || error.status !== 400) throw error;
    }
  }
}

type DecisionOption = PermissionOption & { optionId: ApprovalDecision };

function optionsOf({ alwaysCovers }: Approval): DecisionOption[] {
  const isEachTime = alwaysCovers !== undefined && whyEachTime(alwaysCovers) !== undefined;
  const covered = alwaysCovers ?? 'such calls in this session';
  return [
    { optionId: 'allow-once', kind: 'allow_once', name: 'Allow once' },
    ...(isEachTime
      ? []
      : [{ optionId: 'allow-always', kind: 'allow_always', name: `Always allow ${covered}` } as const]),
    { optionId: 'deny', kind: 'reject_once', name: 'Deny' },
  ];
}
