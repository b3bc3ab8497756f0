import type { Approval } from '../../contract/approvals.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { AppError, messageOf } from '../errors.ts';
import { fenceData } from '../text/fence-data.ts';
import type { Log } from '../log.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import { type Database, independent } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { Runtime } from '../runtime.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { FileKeepers } from './file-keeper.ts';
import {
  argumentsSchema,
  CallReview,
  type CallReviewDeps,
  Refusal,
  type ReviewedCall,
  scopeOf,
} from './call-review.ts';
import { editedArguments, noteOfEdit } from './edited-arguments.ts';
import { maskSecrets } from './mask-secrets.ts';
import { traceCall } from './trace-call.ts';
import { isToolFailure, MAX_OUTPUT, type Tool, type ToolContext } from './tool.ts';

/** The most characters of a result that the audit log keeps. */
const AUDITED_OUTPUT = 8000;

/** The run that calls tools. */
export interface ToolRun {
  id: string;
  /** Whether a user can be asked for approvals during the run. */
  canAsk: boolean;
  context: ToolContext;
}
export interface RequestedCall {
  /** The id that the model gave to the call. */
  id: string;
  name: string;
  args: unknown;
  /** The tool of a call that an agent runs itself; others are found by their name. */
  tool?: Tool | undefined;
  /** The approval that this call has waited for. */
  approvalId?: string | undefined;
}
export interface ToolResult {
  success: boolean;
  content: string;
  /** Whether the call would have changed something and was not allowed to run. */
  refused?: true;
}
/**
 * `done`: the call ran or was refused, and `result` is for the model. `waiting`: a user has to decide first.
 * `environment` is where the call ran, according to its plan; `paths` are the real paths that it named.
 */
export type GateResult =
  | { kind: 'done'; result: ToolResult; environment?: string; paths?: readonly string[] }
  | { kind: 'waiting'; approval: Approval };

export interface ToolGateDeps extends CallReviewDeps {
  database: Database;
  /** Keep the files that calls change. */
  fileKeepers?: FileKeepers;
  approvals: ApprovalService;
  audit: AuditLog;
  telemetry?: Telemetry | undefined;
  runtime: Runtime;
  log: Log;
}

/**
 * The only way to run a tool. Order: blocked list, guards, mode and approval, audit of the intent, execution, audit of the
 * result. A failure before the intent refuses the call; if the audit log cannot be written, the call throws.
 */
export class ToolGate {
  readonly #deps: ToolGateDeps;
  readonly #review: CallReview;
  constructor(deps: ToolGateDeps, review = new CallReview(deps)) {
    this.#deps = deps;
    this.#review = review;
  }

  call(run: ToolRun, requested: RequestedCall): Promise<GateResult> {
    const { telemetry } = this.#deps;
    const pass = () => this.#call(run, requested);
    return telemetry ? traceCall(telemetry, requested, pass) : pass();
  }

  async #call(run: ToolRun, requested: RequestedCall): Promise<GateResult> {
    let call = requested;
    let note = '';
    let reviewed: ReviewedCall;
    let approval: ApprovalRow | undefined;
    try {
      const known = await this.#knownApproval(run, requested);
      const edited = known && editedArguments(known);
      if (edited) {
        call = { ...requested, args: edited };
        note = noteOfEdit(requested.args, edited);
      }
      reviewed = await this.#review.review(run.context, call);
      const decision = await this.#decide(run, call, reviewed, known);
      if (decision && 'approval' in decision) return { kind: 'waiting', approval: decision.approval };
      approval = decision?.granted;
    } catch (error) {
      const refused = await this.#isActingRefusal(error, call);
      const result = await this.#refuse(run, call, `${note}${this.#reasonOf(error, call.name)}`);
      return { kind: 'done', result: { ...result, ...(refused && { refused }) } };
    }
    const isStarted = await this.#begin(run, call, reviewed, approval);
    // A concurrent call has just used the approval, so a new one is needed.
    if (!isStarted) return this.#call(run, { ...requested, approvalId: undefined });
    const result = await this.#execute(run, reviewed, approval);
    await this.#auditResult(run, call, reviewed.args, result, approval);
    const { scope, plan } = reviewed;
    const { environment } = plan.access;
    return {
      kind: 'done',
      result: { ...result, content: `${note}${result.content}` },
      paths: scope.paths,
      ...(environment !== undefined && { environment }),
    };
  }

  /** The approval that the call has waited for; one of another tool or scope says nothing of this call. */
  async #knownApproval(run: ToolRun, call: RequestedCall): Promise<ApprovalRow | undefined> {
    if (call.approvalId === undefined) return undefined;
    const known = await this.#deps.approvalStore.find(call.approvalId);
    return known?.tool === call.name && known.scope_id === scopeIdOf(run) ? known : undefined;
  }

  /** Undefined if the call may run without approval, else the approval that was granted or that it has to wait for. */
  async #decide(
    run: ToolRun,
    call: RequestedCall,
    reviewed: ReviewedCall,
    known: ApprovalRow | undefined,
  ): Promise<{ granted: ApprovalRow } | { approval: Approval } | undefined> {
    const { context, canAsk } = run;
    const scopeId = scopeIdOf(run);
    const decision = await this.#review.decide(reviewed, scopeId);
    if (decision.kind === 'refuse') throw new Refusal(decision.reason);
    // A decision on exactly this call takes precedence over a later allow-always.
    if (known?.status === 'denied')
      throw new Refusal(
        known.denial_reason === null
          ? 'A person denied this call'
          : `A person denied this call and says: ${known.denial_reason}`,
      );
    if (known?.status === 'expired') throw new Refusal('The approval request expired without a decision');
    const allowed = known?.status === 'approved' && known.used_at === null ? known : undefined;
    if (decision.kind === 'run' && !allowed) return undefined;
    const change = await this.#review.preview(reviewed);
    if (allowed && allowed.binding === this.#review.bindingOf(reviewed, change)) return { granted: allowed };
    if (decision.kind === 'run') return undefined;
    // The call is not the one that was approved, so it needs a new decision.
    if (!canAsk) throw new Refusal(`${decision.reason}, and no approval can be requested here`);
    const hasFileChanged = allowed && allowed.basis !== (change?.basis ?? null);
    const reason = hasFileChanged
      ? `The file has changed since the call was allowed. ${decision.reason}`
      : decision.reason;
    const approval = await this.#deps.approvals.request({
      run_id: run.id,
      call_id: call.id,
      owner_id: context.userId,
      conversation_id: context.conversationId ?? null,
      task_id: context.taskId ?? null,
      scope_id: scopeId,
      edited: known?.edited ?? null,
      ...this.#review.factsOf(reviewed, reason, change),
    });
    if (approval.status === 'approved') return { granted: approval };
    return { approval: this.#deps.approvals.show(approval) };
  }

  /** Writes the intent and uses the approval in one transaction; false if the approval is already used. */
  #begin(run: ToolRun, call: RequestedCall, { args }: ReviewedCall, approval: ApprovalRow | undefined) {
    const { database, audit, approvalStore, runtime } = this.#deps;
    return database.write(async (transaction) => {
      const now = runtime.now().toISOString();
      if (approval && !(await approvalStore.use(transaction.db, approval.id, now))) return false;
      await audit.append(transaction, {
        ...entryOf(run, call, args),
        result: 'intent',
        ...approvedBy(approval),
      });
      return true;
    }, independent);
  }

  async #execute(
    run: ToolRun,
    { plan, scope, tool }: ReviewedCall,
    approval: ApprovalRow | undefined,
  ): Promise<ToolResult> {
    const { runtime, fileKeepers } = this.#deps;
    const contentFor = (content: string, origin: string | undefined) => {
      const cut = cutTo(content, MAX_OUTPUT);
      return origin === undefined ? cut : fenceData(runtime, origin, cut);
    };
    try {
      run.context.signal.throwIfAborted();
      const basis = approval?.basis ?? undefined;
      const keeper = fileKeepers?.of(run);
      if (tool.server !== undefined && !tool.isReadOnly) await keeper?.noteUnkept('mcp_tools');
      const { content, origin } = await plan.run({
        ...scope,
        ...(basis !== undefined && { basis }),
        ...(keeper && { keeper }),
      });
      return { success: true, content: contentFor(content, origin) };
    } catch (error) {
      if (isToolFailure(error))
        return {
          success: false,
          content: contentFor(error.message, 'origin' in error ? error.origin : undefined),
        };
      if (run.context.signal.aborted) return { success: false, content: 'The run was stopped' };
      return { success: false, content: this.#reasonOf(error, tool.name) };
    }
  }

  /** An invalid call is a mistake of the model, and a refused reading changes nothing that was asked for. */
  async #isActingRefusal(error: unknown, { name, tool }: RequestedCall): Promise<boolean> {
    const isRefused =
      error instanceof Refusal || (error instanceof AppError && error.code === 'rate_limited');
    return isRefused && (tool ?? (await this.#deps.registry.find(name)))?.isReadOnly === false;
  }

  /** The message that the model may see; details of unexpected errors go to the log only. */
  #reasonOf(error: unknown, tool: string): string {
    if (error instanceof Refusal || isToolFailure(error)) return error.message;
    if (error instanceof AppError && error.code === 'rate_limited') return error.message;
    this.#deps.log.error({ tool, reason: messageOf(error) }, 'a tool failed unexpectedly');
    return `${tool.slice(0, 100)} failed unexpectedly`;
  }

  async #auditResult(
    run: ToolRun,
    call: RequestedCall,
    args: Record<string, unknown>,
    { success, content }: ToolResult,
    approval: ApprovalRow | undefined,
  ): Promise<void> {
    const { database, audit, policy } = this.#deps;
    const details = policy.policy.auditAll ? `: ${cutTo(content, AUDITED_OUTPUT)}` : '';
    const result = `${success ? 'ok' : 'failed'}${details}`;
    await database.write((transaction) =>
      audit.append(transaction, { ...entryOf(run, call, args), result, ...approvedBy(approval) }),
    );
  }

  async #refuse(run: ToolRun, call: RequestedCall, reason: string): Promise<ToolResult> {
    const args = safeParse(argumentsSchema, call.args).data ?? { given: call.args };
    await this.#deps.database.write((transaction) =>
      this.#deps.audit.append(transaction, {
        ...entryOf(run, call, args),
        result: `refused: ${reason}`,
        approved: false,
      }),
    );
    return { success: false, content: reason };
  }
}

const scopeIdOf = ({ id, context }: ToolRun) => scopeOf(context) ?? id;

const entryOf = ({ context }: ToolRun, call: RequestedCall, args: Record<string, unknown>) => ({
  kind: 'tool' as const,
  tool: call.name.slice(0, 200),
  userId: context.userId,
  conversationId: context.conversationId,
  taskId: context.taskId,
  callId: call.id.slice(0, 200),
  arguments: maskSecrets(args),
});

const approvedBy = (approval: ApprovalRow | undefined) => ({
  approved: true,
  ...(approval?.decision && { decision: approval.decision }),
});

const cutTo = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}\n[… ${text.length - length} more characters …]`;
