import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { safeParse } from '../../contract/safe-parse.ts';
import type { ApprovalFacts } from '../approvals/approval-facts.ts';
import type { AllowedBy, ApprovalStore } from '../approvals/approval-store.ts';
import { messageOf } from '../errors.ts';
import { resolveRealPath } from '../paths/real-path.ts';
import type { SecretFiles } from '../paths/secret-files.ts';
import type { PolicyService } from '../policy/policy-service.ts';
import { type Coverage, coverageOf } from './coverage/coverage.ts';
import type { Guard, GuardedCall } from './guards/guard.ts';
import { maskSecrets } from './mask-secrets.ts';
import { decideByMode, matchesTool, type ModeDecision, whyAlwaysAsked } from './mode-decision.ts';
import { type PreviewedChange, previewChange } from './preview/preview-change.ts';
import { storedContext } from './stored-context.ts';
import { type Tool, type ToolContext, ToolFailure, type ToolPlan, type ToolScope } from './tool.ts';
import { warningOf, withWarning } from './risky-writes.ts';
import type { ToolRegistry } from './tool-registry.ts';
import { scopeIn } from './tool-scope.ts';

export const argumentsSchema = z.record(z.string(), z.unknown());

export interface CallReviewDeps {
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
  policy: PolicyService;
  approvalStore: ApprovalStore;
}

/** A validated call that passed the guards. */
export interface ReviewedCall {
  context: ToolContext;
  tool: Tool;
  args: Record<string, unknown>;
  plan: ToolPlan;
  /** Why the call deserves attention. */
  warning: string | undefined;
  scope: ToolScope;
  /** What `allow-always` would cover. */
  coverage: Coverage;
  coversKey: string;
}

/** A refused call; the message is for the model and the audit log. */
export class Refusal extends Error {}

/** Reviews calls before anything runs: blocked list, schema, plan, guards, mode, and what they would change. */
export class CallReview {
  readonly #deps: CallReviewDeps;
  constructor(deps: CallReviewDeps) {
    this.#deps = deps;
  }

  /** Throws a `Refusal`, or a `ToolFailure` for a call that is not valid. */
  async review(
    context: ToolContext,
    { name, args: rawArgs, tool: given }: { name: string; args: unknown; tool?: Tool | undefined },
  ): Promise<ReviewedCall> {
    const { registry, policy, guards } = this.#deps;
    const tool = given ?? (await registry.find(name));
    const { blockedTools } = await policy.current();
    if (matchesTool(blockedTools, name)) throw new Refusal(`The policy blocks ${name}`);
    if (!tool) throw new Refusal(`There is no tool ${name.slice(0, 100)}`);
    const reason = tool.unavailable?.();
    if (reason !== undefined) throw new ToolFailure(`${name} is not available: ${reason}`);
    const args = safeParse(argumentsSchema, rawArgs).data;
    const parsed = safeParse(tool.input, rawArgs);
    if (!args || !parsed.success)
      throw new ToolFailure(
        `The arguments are not valid: ${parsed.error ? z.prettifyError(parsed.error) : ''}`,
      );
    // Also a call that needs no approval must be exactly the one that is shown and stored.
    hashOf({ args });
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
    const coverage = await coverageOf({ tool, args, access: plan.access, paths: scope.paths, context });
    const coversKey = hashOf({ same: coverage.same });
    return { context, tool, args, plan, warning: warning?.reason, scope, coverage, coversKey };
  }

  /** Whether the call may run, has to be asked for, or is refused in its conversation or task. */
  async decide(reviewed: ReviewedCall, scopeId: string): Promise<ModeDecision> {
    const { tool, coversKey } = reviewed;
    const danger = dangerOf(reviewed);
    return this.#byMode(
      reviewed,
      await this.#deps.approvalStore.allowedBy(scopeId, tool.name, coversKey, danger),
    );
  }

  /** What the call changes in a file; throws a `ToolFailure` for a call that cannot succeed. */
  preview({ plan, scope, context }: ReviewedCall): Promise<PreviewedChange | undefined> {
    return previewChange(plan, scope, () => this.#mayReadUnasked(context));
  }

  /** A hash of everything that must not change between a decision and the call. */
  bindingOf({ tool, args, plan, scope, context }: ReviewedCall, change: PreviewedChange | undefined): string {
    const { command = null, environment = null, needsPerson = null, scripts = null, external } = plan.access;
    return hashOf({
      tool: tool.name,
      args,
      workspace: context.workspace,
      paths: scope.paths,
      command,
      environment,
      needsPerson,
      scripts,
      scope: scopeOf(context) ?? null,
      policy: this.#deps.policy.version,
      ...(external && { external }),
      ...(change && { basis: change.basis }),
    });
  }

  /** What is stored of a call for which a person is asked. */
  factsOf(reviewed: ReviewedCall, reason: string, change: PreviewedChange | undefined): ApprovalFacts {
    const { tool, args, plan, coverage, coversKey, context } = reviewed;
    const { scripts, command } = plan.access;
    const askedBecause = whyAlwaysAsked(tool.name, plan.access, this.#deps.policy.policy);
    const isCoverable = this.#byMode(reviewed, 'call').kind === 'run';
    return {
      tool: tool.name,
      arguments: JSON.stringify(maskSecrets(args)),
      cwd: command?.cwd ?? context.workspace,
      danger: dangerOf(reviewed),
      reason,
      scripts: scripts ? JSON.stringify(scripts) : null,
      ...(askedBecause === undefined
        ? { covers: coverage.covers, covers_key: coversKey }
        : { covers: `nothing: ${askedBecause}`, covers_key: null }),
      coverable: isCoverable ? 1 : 0,
      diff: change ? JSON.stringify(change.diff) : null,
      basis: change?.basis ?? null,
      context: storedContext(context, plan.access.external?.agent),
      binding: this.bindingOf(reviewed, change),
    };
  }

  #byMode({ tool, plan, warning, context }: ReviewedCall, allowedBy: AllowedBy): ModeDecision {
    return decideByMode({
      tool,
      access: plan.access,
      warning,
      mode: context.mode,
      policy: this.#deps.policy.policy,
      allowedBy,
      isTrusted: context.isTrusted,
    });
  }

  /** Whether the model may read files of the workspace without an approval. */
  async #mayReadUnasked({ mode, isTrusted }: ToolContext): Promise<boolean> {
    const { registry, policy } = this.#deps;
    const tool = await registry.find('read_file');
    if (!tool || matchesTool(policy.policy.blockedTools, tool.name)) return false;
    const call = { tool, access: {}, mode, policy: policy.policy, isTrusted };
    return decideByMode(call).kind === 'run';
  }
}

const dangerOf = ({ tool, warning }: ReviewedCall) => (warning === undefined ? tool.danger : 'high');

/** The conversation or task to which `allow-always` applies. */
export const scopeOf = ({ conversationId, taskId }: ToolContext) => conversationId ?? taskId;

/** Refuses text that cannot be serialized exactly, such as an unpaired surrogate: it cannot be bound to a decision. */
function hashOf(values: Record<string, unknown>): string {
  try {
    return hash('sha256', canonicalize(values) ?? '');
  } catch (error) {
    throw new Refusal(`The call cannot be serialized exactly: ${messageOf(error)}`, { cause: error });
  }
}
