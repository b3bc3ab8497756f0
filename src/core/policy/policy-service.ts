import { type Guard as GuardInfo, type GuardName, guardNameSchema } from '../../contract/guards.ts';
import { type Policy, policySchema } from '../../contract/policy.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Database } from '../storage/database.ts';
import { readState, writeState } from '../storage/state.ts';
import { guardDescriptions } from './guard-descriptions.ts';

const POLICY = 'security.policy';
const GUARDS_OFF = 'security.guards_off';

/** Tools that only read the workspace or data that the caller may see anyway. */
const readOnlyTools = ['read_file', 'list_directory', 'search_files', 'grep', 'memory_search', 'task_status'];

const defaultPolicy: Policy = {
  defaultMode: 'ask',
  allowedTools: readOnlyTools,
  blockedTools: [],
  requireApprovalFor: [],
  auditAll: true,
};

/** Omitted fields keep their value. */
export type PolicyPatch = { [K in keyof Policy]?: Policy[K] | undefined };

/** The user who changes a setting, and the address of the request. */
export interface Changer {
  userId?: string | undefined;
  address?: string | undefined;
}

export interface PolicyServiceDeps {
  database: Database;
  audit: AuditLog;
}

/** Stores the tool policy and the disabled guards, and writes an audit entry with each change. */
export class PolicyService {
  readonly #deps: PolicyServiceDeps;
  #policy: Policy;
  #guardsOff: ReadonlySet<string>;

  private constructor(deps: PolicyServiceDeps, policy: Policy, guardsOff: ReadonlySet<string>) {
    this.#deps = deps;
    this.#policy = policy;
    this.#guardsOff = guardsOff;
  }

  static async load(deps: PolicyServiceDeps): Promise<PolicyService> {
    const { read } = deps.database;
    const stored = await readState(read, POLICY);
    const off = await readState(read, GUARDS_OFF);
    const policy = policySchema.parse({ ...defaultPolicy, ...(stored && (JSON.parse(stored) as object)) });
    return new PolicyService(deps, policy, new Set(off === undefined ? [] : (JSON.parse(off) as string[])));
  }

  get policy(): Policy {
    return this.#policy;
  }

  /** Changes whenever a decision could change; approvals are bound to it. */
  get version(): string {
    return JSON.stringify([this.#policy, [...this.#guardsOff].sort()]);
  }

  isGuardOn(name: GuardName): boolean {
    return !this.#guardsOff.has(name);
  }

  async update(patch: PolicyPatch, changer: Changer): Promise<Policy> {
    const changes = Object.entries(patch).filter(([, value]) => value !== undefined);
    await this.#write(changer, 'policy.changed', Object.fromEntries(changes), async () => {
      const policy = policySchema.parse({ ...this.#policy, ...Object.fromEntries(changes) });
      return { key: POLICY, value: JSON.stringify(policy), apply: () => (this.#policy = policy) };
    });
    return this.#policy;
  }

  async setGuard(name: GuardName, enabled: boolean, changer: Changer): Promise<GuardInfo> {
    await this.#write(changer, 'guard.changed', { name, enabled }, async () => {
      const off = new Set(this.#guardsOff);
      if (enabled) off.delete(name);
      else off.add(name);
      return { key: GUARDS_OFF, value: JSON.stringify([...off]), apply: () => (this.#guardsOff = off) };
    });
    return this.#describe(name);
  }

  guards(): GuardInfo[] {
    return guardNameSchema.options.map((name) => this.#describe(name));
  }

  #describe(name: GuardName): GuardInfo {
    return { name, enabled: this.isGuardOn(name), description: guardDescriptions[name] };
  }

  /** Applies the change only after it is committed. */
  #write(
    { userId, address }: Changer,
    tool: string,
    args: Record<string, unknown>,
    build: () => Promise<{ key: string; value: string; apply: () => void }>,
  ): Promise<void> {
    return this.#deps.database.write(async (transaction) => {
      const { key, value, apply } = await build();
      await writeState(transaction.db, key, value);
      await this.#deps.audit.append(transaction, {
        kind: 'security',
        tool,
        userId,
        address,
        arguments: args,
        result: 'ok',
      });
      transaction.afterCommit(apply);
    });
  }
}
