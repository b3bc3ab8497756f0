import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { Approval } from '../../contract/approvals.ts';
import type { Policy } from '../../contract/policy.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { AppError, messageOf } from '../errors.ts';
import { fenceData } from '../text/fence-data.ts';
import type { Log } from '../log.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import { toApproval } from '../approvals/approval-service.ts';
import type { ApprovalStore } from '../approvals/approval-store.ts';
import type { PolicyService } from '../policy/policy-service.ts';
import type { Database } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { Runtime } from '../runtime.ts';
import { resolveRealPath } from '../paths/real-path.ts';
import { type Coverage, coverageOf } from './coverage/coverage.ts';
import type { FileKeepers } from './file-keeper.ts';
import type { Guard, GuardedCall } from './guards/guard.ts';
import type { SecretFiles } from '../paths/secret-files.ts';
import { maskSecrets } from './mask-secrets.ts';
import { decideByMode, matchesTool, whyAlwaysAsked } from './mode-decision.ts';
import {
  MAX_OUTPUT,
  type Tool,
  type ToolAccess,
  type ToolContext,
  isToolFailure,
  ToolFailure,
  type ToolPlan,
  type ToolScope,
} from './tool.ts';
import { warningOf, withWarning } from './risky-writes.ts';
import type { ToolRegistry } from './tool-registry.ts';
import { scopeIn } from './tool-scope.ts';

/** The most characters of a result that the audit log keeps. */
const AUDITED_OUTPUT = 8000;
const argumentsSchema = z.record(z.string(), z.unknown());

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

export interface ToolGateDeps {
  database: Database;
  registry: ToolRegistry;
  guards: readonly Guard[];
  /** The real paths of the daemon's own directories. */
  protectedDirectories: string[];
  /** The home directory of the person, as a real path. */
  home?: string | undefined;
  /** `$XDG_CONFIG_HOME`. */
  configHome?: string | undefined;
  /** Recognizes credentials by content. */
  secretFiles?: SecretFiles;
  /** Keep the files that calls change. */
  fileKeepers?: FileKeepers;
  policy: PolicyService;
  approvals: ApprovalService;
  approvalStore: ApprovalStore;
  audit: AuditLog;
  runtime: Runtime;
  log: Log;
}

/** A validated call that passed the guards. */
interface ReviewedCall {
  tool: Tool;
  args: Record<string, unknown>;
  plan: ToolPlan;
  /** Why the call deserves attention. */
  warning: string | undefined;
  scope: ToolScope;
  /** A hash of everything that must not change between a decision and the call. */
  binding: string;
  /** What `allow-always` would cover. */
  coverage: Coverage;
  coversKey: string;
}

/** A refused call; the message is for the model and the audit log. */
class Refusal extends Error {}

/**
 * The only way to run a tool. Order: blocked list, guards, mode and approval, audit of the intent, execution, audit of the
 * result. A failure before the intent refuses the call; if the audit log cannot be written, the call throws.
 */
export class ToolGate {
  readonly #deps: ToolGateDeps;
  constructor(deps: ToolGateDeps) {
    this.#deps = deps;
  }

  async call(run: ToolRun, call: RequestedCall): Promise<GateResult> {
    let reviewed: ReviewedCall;
    let approval: ApprovalRow | undefined;
    try {
      reviewed = await this.#review(run, call);
      const decision = await this.#decide(run, call, reviewed);
      if (decision && 'approval' in decision) return { kind: 'waiting', approval: decision.approval };
      approval = decision?.granted;
    } catch (error) {
      const refused = await this.#isActingRefusal(error, call.name);
      const result = await this.#refuse(run, call, this.#reasonOf(error, call.name));
      return { kind: 'done', result: { ...result, ...(refused && { refused }) } };
    }
    const isStarted = await this.#begin(run, call, reviewed, approval);
    // A concurrent call has just used the approval, so a new one is needed.
    if (!isStarted) return this.call(run, { ...call, approvalId: undefined });
    const result = await this.#execute(run, reviewed);
    await this.#auditResult(run, call, reviewed.args, result, approval);
    const { scope, plan } = reviewed;
    const { environment } = plan.access;
    return { kind: 'done', result, paths: scope.paths, ...(environment !== undefined && { environment }) };
  }

  async #review({ context }: ToolRun, { name, args: rawArgs }: RequestedCall): Promise<ReviewedCall> {
    const { registry, policy, guards } = this.#deps;
    const tool = await registry.find(name);
    if (matchesTool(policy.policy.blockedTools, name)) throw new Refusal(`The policy blocks ${name}`);
    if (!tool) throw new Refusal(`There is no tool ${name.slice(0, 100)}`);
    const reason = tool.unavailable?.();
    if (reason !== undefined) throw new ToolFailure(`${name} is not available: ${reason}`);
    const args = safeParse(argumentsSchema, rawArgs).data;
    const parsed = safeParse(tool.input, rawArgs);
    if (!args || !parsed.success)
      throw new ToolFailure(
        `The arguments are not valid: ${parsed.error ? z.prettifyError(parsed.error) : ''}`,
      );
    const planned = await tool.plan(parsed.data, context);
    const paths: GuardedCall['paths'] = [];
    for (const { path, operation } of planned.access.paths ?? [])
      paths.push({ requested: path, operation, real: await resolveRealPath(context.workspace, path) });
    const call: GuardedCall = { tool, args, access: planned.access, paths, context };
    for (const guard of guards) {
      if (!policy.isGuardOn(guard.name)) continue;
      const problem = await guard.check(call);
      if (problem !== undefined) throw new Refusal(`${problem} (guard ${guard.name})`);
    }
    const warning = await warningOf(call, this.#deps);
    const plan = { ...planned, access: withWarning(planned.access, warning) };
    const scope = scopeIn(
      context.workspace,
      this.#deps,
      paths.map(({ real }) => real),
    );
    const { command = null, environment = null, needsPerson = null, scripts = null } = plan.access;
    const coverage = await coverageOf({ tool, args, access: plan.access, paths: scope.paths, context });
    const binding = bindingOf({
      tool: name,
      args,
      workspace: context.workspace,
      paths: scope.paths,
      command,
      environment,
      needsPerson,
      scripts,
      scope: scopeOf(context) ?? null,
      policy: policy.version,
    });
    const warned = warning?.reason;
    const coversKey = bindingOf({ same: coverage.same });
    return { tool, args, plan, warning: warned, scope, binding, coverage, coversKey };
  }

  /** Undefined if the call may run without approval, else the approval that was granted or that it has to wait for. */
  async #decide(run: ToolRun, call: RequestedCall, reviewed: ReviewedCall) {
    const { policy, approvalStore, approvals } = this.#deps;
    const { context, canAsk } = run;
    const { tool, plan, warning, binding, args, coverage, coversKey } = reviewed;
    const scopeId = scopeOf(context) ?? run.id;
    const decision = decideByMode({
      tool,
      access: plan.access,
      warning,
      mode: context.mode,
      policy: policy.policy,
      isAllowedInScope: await approvalStore.isAllowed(scopeId, tool.name, coversKey),
      isTrusted: context.isTrusted,
    });
    if (decision.kind === 'refuse') throw new Refusal(decision.reason);
    const known = call.approvalId === undefined ? undefined : await approvalStore.find(call.approvalId);
    // A decision on exactly this call takes precedence over a later allow-always.
    if (known?.status === 'denied')
      throw new Refusal(
        known.denial_reason === null
          ? 'A person denied this call'
          : `A person denied this call and says: ${known.denial_reason}`,
      );
    if (known?.status === 'expired') throw new Refusal('The approval request expired without a decision');
    if (known?.binding === binding && known.used_at === null && known.status === 'approved')
      return { granted: known };
    if (decision.kind === 'run') return undefined;
    // The call is not the one that was approved, so it needs a new decision.
    if (!canAsk) throw new Refusal(`${decision.reason}, and no approval can be requested here`);
    const { scripts } = plan.access;
    const approval = await approvals.request({
      run_id: run.id,
      call_id: call.id,
      owner_id: context.userId,
      conversation_id: context.conversationId ?? null,
      task_id: context.taskId ?? null,
      scope_id: scopeId,
      tool: tool.name,
      arguments: JSON.stringify(maskSecrets(args)),
      scripts: scripts ? JSON.stringify(scripts) : null,
      ...coversOf(tool, plan.access, policy.policy, { covers: coverage.covers, covers_key: coversKey }),
      cwd: plan.access.command?.cwd ?? context.workspace,
      danger: warning === undefined ? tool.danger : 'high',
      reason: decision.reason,
      binding,
    });
    return approval.status === 'approved' ? { granted: approval } : { approval: toApproval(approval) };
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
    });
  }

  async #execute(run: ToolRun, { plan, scope, tool }: ReviewedCall): Promise<ToolResult> {
    const { runtime, fileKeepers } = this.#deps;
    const contentFor = (content: string, origin: string | undefined) => {
      const cut = cutTo(content, MAX_OUTPUT);
      return origin === undefined ? cut : fenceData(runtime, origin, cut);
    };
    try {
      run.context.signal.throwIfAborted();
      const keeper = fileKeepers?.of(run);
      if (tool.server !== undefined && !tool.isReadOnly) await keeper?.noteUnkept('mcp_tools');
      const { content, origin } = await plan.run({ ...scope, ...(keeper && { keeper }) });
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
  async #isActingRefusal(error: unknown, name: string): Promise<boolean> {
    const isRefused =
      error instanceof Refusal || (error instanceof AppError && error.code === 'rate_limited');
    return isRefused && (await this.#deps.registry.find(name))?.isReadOnly === false;
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

/** The conversation or task to which `allow-always` applies. */
const scopeOf = ({ conversationId, taskId }: ToolContext) => conversationId ?? taskId;

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

/** What `allow-always` covers: nothing where every call needs a decision of its own. */
function coversOf(
  { name }: Tool,
  access: ToolAccess,
  policy: Policy,
  kind: Pick<ApprovalRow, 'covers' | 'covers_key'>,
): Pick<ApprovalRow, 'covers' | 'covers_key'> {
  const reason = whyAlwaysAsked(name, access, policy);
  return reason === undefined ? kind : { covers: `nothing: ${reason}`, covers_key: null };
}

/** Refuses text that cannot be serialized exactly, such as an unpaired surrogate: it cannot be bound to a decision. */
function bindingOf(values: Record<string, unknown>): string {
  try {
    return hash('sha256', canonicalize(values) ?? '');
  } catch (error) {
    throw new Refusal(`The call cannot be serialized exactly: ${messageOf(error)}`, { cause: error });
  }
}

const cutTo = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}\n[… ${text.length - length} more characters …]`;
