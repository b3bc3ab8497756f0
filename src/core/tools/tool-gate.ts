import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import type { Approval } from '../../contract/approvals.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { messageOf } from '../errors.ts';
import { fenceData } from '../text/fenced-data.ts';
import type { Log } from '../log.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import { toApproval } from '../approvals/approval-service.ts';
import type { ApprovalStore } from '../approvals/approval-store.ts';
import type { PolicyService } from '../policy/policy-service.ts';
import type { Database } from '../storage/database.ts';
import type { ApprovalRow } from '../storage/rows/approvals.ts';
import type { Runtime } from '../runtime.ts';
import { isInside, realPlace } from '../paths/real-path.ts';
import type { Guard, GuardedCall } from './guards/guard.ts';
import { isProtectedPlace } from './guards/secret-exfiltration.ts';
import { isSecretPlace } from '../paths/secret-places.ts';
import { decideByMode, matchesTool } from './mode-decision.ts';
import {
  MAX_OUTPUT,
  type Tool,
  type ToolContext,
  isToolFailure,
  ToolFailure,
  type ToolPlan,
  type ToolScope,
} from './tool.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** Characters of a result that the audit log keeps. */
const AUDITED_OUTPUT = 8000;
const argumentsSchema = z.record(z.string(), z.unknown());

/** A run on whose behalf a model calls tools. */
export interface ToolRun {
  id: string;
  /** Whether a person can be asked while it runs. */
  canAsk: boolean;
  context: ToolContext;
}
export interface RequestedCall {
  /** As the model named it. */
  id: string;
  name: string;
  args: unknown;
  /** The approval that this call waited for. */
  approvalId?: string | undefined;
}
export interface ToolResult {
  success: boolean;
  content: string;
}
/**
 * Either it ran or was refused, and the model is told so; or a person has to decide first. `environment` is where it
 * ran, as its plan says.
 */
export type GateAnswer =
  | { kind: 'done'; result: ToolResult; environment?: string }
  | { kind: 'waiting'; approval: Approval };

export interface ToolGateDeps {
  database: Database;
  registry: ToolRegistry;
  guards: readonly Guard[];
  /** The real places of the daemon's own folders. */
  protectedFolders: string[];
  policy: PolicyService;
  approvals: ApprovalService;
  approvalStore: ApprovalStore;
  audit: AuditLog;
  runtime: Runtime;
  log: Log;
}

/** What was found out about a call before anybody decided on it. */
interface Reviewed {
  tool: Tool;
  args: Record<string, unknown>;
  plan: ToolPlan;
  scope: ToolScope;
  /** A hash of everything that must not change between a decision and the call. */
  binding: string;
}

/** A call that does not run, in words for the model and the audit log. */
class Refusal extends Error {}

/**
 * The one way to run a tool, whoever asks: blocked list, guards, mode and approval, audit of the intent, the run, audit
 * of the result. What fails on the way refuses the call; where the intent cannot be written the call throws.
 */
export class ToolGate {
  readonly #deps: ToolGateDeps;
  constructor(deps: ToolGateDeps) {
    this.#deps = deps;
  }

  async call(run: ToolRun, call: RequestedCall): Promise<GateAnswer> {
    let reviewed: Reviewed;
    let approval: ApprovalRow | undefined;
    try {
      reviewed = await this.#review(run, call);
      const decision = await this.#decide(run, call, reviewed);
      if (decision && 'approval' in decision) return { kind: 'waiting', approval: decision.approval };
      approval = decision?.granted;
    } catch (error) {
      return { kind: 'done', result: await this.#refuse(run, call, this.#reasonOf(error, call.name)) };
    }
    const isStarted = await this.#begin(run, call, reviewed, approval);
    // Used by another run of the same call at this moment: it has to be asked for again.
    if (!isStarted) return this.call(run, { ...call, approvalId: undefined });
    const result = await this.#execute(run, reviewed);
    await this.#auditResult(run, call, reviewed.args, result, approval);
    const { environment } = reviewed.plan.access;
    return { kind: 'done', result, ...(environment !== undefined && { environment }) };
  }

  async #review({ context }: ToolRun, { name, args: given }: RequestedCall): Promise<Reviewed> {
    const { registry, policy, guards, protectedFolders } = this.#deps;
    const tool = await registry.find(name);
    if (matchesTool(policy.policy.blockedTools, name)) throw new Refusal(`The policy blocks ${name}`);
    if (!tool) throw new Refusal(`There is no tool ${name.slice(0, 100)}`);
    const reason = tool.unavailable?.();
    if (reason !== undefined) throw new ToolFailure(`${name} is not available: ${reason}`);
    const args = argumentsSchema.safeParse(given).data;
    const parsed = tool.input.safeParse(given);
    if (!args || !parsed.success)
      throw new ToolFailure(
        `The arguments are not valid: ${parsed.error ? z.prettifyError(parsed.error) : ''}`,
      );
    const plan = await tool.plan(parsed.data, context);
    const paths: GuardedCall['paths'] = [];
    for (const { path, does } of plan.access.paths ?? [])
      paths.push({ given: path, does, real: await realPlace(context.workspace, path) });
    const call: GuardedCall = { tool, args, access: plan.access, paths, context };
    for (const guard of guards) {
      if (!policy.isGuardOn(guard.name)) continue;
      const found = await guard.check(call);
      if (found !== undefined) throw new Refusal(`${found} (guard ${guard.name})`);
    }
    const isConfined = policy.isGuardOn('path-traversal');
    const keepsSecrets = policy.isGuardOn('secret-exfiltration');
    const scope: ToolScope = {
      paths: paths.map(({ real }) => real),
      isConfined,
      mayRead: (place) =>
        (!isConfined || isInside(context.workspace, place)) &&
        !(
          keepsSecrets &&
          (isSecretPlace(place) || isProtectedPlace(place, protectedFolders, context.workspace))
        ),
    };
    const { command = null, environment = null, needsPerson = null } = plan.access;
    const binding = bindingOf({
      tool: name,
      args,
      workspace: context.workspace,
      paths: scope.paths,
      command,
      environment,
      needsPerson,
      scope: scopeOf(context) ?? null,
      policy: policy.version,
    });
    return { tool, args, plan, scope, binding };
  }

  /** Undefined where the call may run as it is, the approval that it used, or the one that it has to wait for. */
  async #decide(run: ToolRun, call: RequestedCall, reviewed: Reviewed) {
    const { policy, approvalStore, approvals } = this.#deps;
    const { context, canAsk } = run;
    const { tool, plan, binding, args } = reviewed;
    const scopeId = scopeOf(context) ?? run.id;
    const decision = decideByMode({
      tool,
      access: plan.access,
      mode: context.mode,
      policy: policy.policy,
      isAllowedHere: await approvalStore.isAllowed(scopeId, tool.name),
      isTrusted: context.isTrusted,
    });
    if (decision.kind === 'refuse') throw new Refusal(decision.reason);
    const known = call.approvalId === undefined ? undefined : await approvalStore.find(call.approvalId);
    // What was said of this very call counts more than what was allowed for good meanwhile.
    if (known?.status === 'denied') throw new Refusal('A person denied this call');
    if (known?.status === 'expired') throw new Refusal('Nobody decided on this call in time');
    if (known?.binding === binding && known.used_at === null && known.status === 'approved')
      return { granted: known };
    if (decision.kind === 'run') return undefined;
    // Where what was decided on is not what would run now, somebody has to look again.
    if (!canAsk) throw new Refusal(`${decision.reason}, and nobody can be asked`);
    const asked = await approvals.request({
      run_id: run.id,
      call_id: call.id,
      owner_id: context.userId,
      conversation_id: context.conversationId ?? null,
      task_id: context.taskId ?? null,
      scope_id: scopeId,
      tool: tool.name,
      arguments: JSON.stringify(args),
      cwd: plan.access.command?.cwd ?? context.workspace,
      danger: tool.danger,
      reason: decision.reason,
      binding,
    });
    return asked.status === 'approved' ? { granted: asked } : { approval: toApproval(asked) };
  }

  /** Writes the intent and uses up the approval, together; false where somebody used it before. */
  #begin(run: ToolRun, call: RequestedCall, { args }: Reviewed, approval: ApprovalRow | undefined) {
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

  async #execute(run: ToolRun, { plan, scope, tool }: Reviewed): Promise<ToolResult> {
    const { runtime } = this.#deps;
    const told = (content: string, origin: string | undefined) => {
      const cut = cutTo(content, MAX_OUTPUT);
      return origin === undefined ? cut : fenceData(runtime, origin, cut);
    };
    try {
      run.context.signal.throwIfAborted();
      const { content, origin } = await plan.run(scope);
      return { success: true, content: told(content, origin) };
    } catch (error) {
      if (isToolFailure(error))
        return { success: false, content: told(error.message, 'origin' in error ? error.origin : undefined) };
      if (run.context.signal.aborted) return { success: false, content: 'The run was stopped' };
      return { success: false, content: this.#reasonOf(error, tool.name) };
    }
  }

  /** What the model may hear of an error: what was not foreseen is for the log alone. */
  #reasonOf(error: unknown, tool: string): string {
    if (error instanceof Refusal || isToolFailure(error)) return error.message;
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
    const told = policy.policy.auditAll ? `: ${cutTo(content, AUDITED_OUTPUT)}` : '';
    const result = `${success ? 'ok' : 'failed'}${told}`;
    await database.write((transaction) =>
      audit.append(transaction, { ...entryOf(run, call, args), result, ...approvedBy(approval) }),
    );
  }

  async #refuse(run: ToolRun, call: RequestedCall, reason: string): Promise<ToolResult> {
    const args = argumentsSchema.safeParse(call.args).data ?? { given: call.args };
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

/** What `allow-always` is for. */
const scopeOf = ({ conversationId, taskId }: ToolContext) => conversationId ?? taskId;

const entryOf = ({ context }: ToolRun, call: RequestedCall, args: Record<string, unknown>) => ({
  kind: 'tool' as const,
  tool: call.name.slice(0, 200),
  userId: context.userId,
  conversationId: context.conversationId,
  taskId: context.taskId,
  callId: call.id.slice(0, 200),
  arguments: args,
});

const approvedBy = (approval: ApprovalRow | undefined) => ({
  approved: true,
  ...(approval?.decision && { decision: approval.decision }),
});

/** Text that cannot be written down exactly, such as half of a surrogate pair, cannot be bound to a decision. */
function bindingOf(deps: Record<string, unknown>): string {
  try {
    return hash('sha256', canonicalize(deps) ?? '');
  } catch (error) {
    throw new Refusal(`The call cannot be written down exactly: ${messageOf(error)}`, { cause: error });
  }
}

const cutTo = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}\n[… ${text.length - length} more characters …]`;
