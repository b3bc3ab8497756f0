import type { Kysely } from 'kysely';
import { type Guard as GuardInfo, type GuardName, guardNameSchema } from '../../contract/guards.ts';
import { type Policy, policySchema } from '../../contract/policy.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Database } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
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
    return new PolicyService(deps, await readPolicy(read), await readGuardsOff(read));
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
    await this.#write(changer, 'policy.changed', Object.fromEntries(changes), async (db) => {
      const policy = policySchema.parse({ ...(await readPolicy(db)), ...Object.fromEntries(changes) });
      return { key: POLICY, value: JSON.stringify(policy), apply: () => (this.#policy = policy) };
    });
    return this.#policy;
  }

  async setGuard(name: GuardName, enabled: boolean, changer: Changer): Promise<GuardInfo> {
    await this.#write(changer, 'guard.changed', { name, enabled }, async (db) => {
      const off = await readGuardsOff(db);
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

  /** Builds on what is stored, which others may have changed, and applies the change only after it is committed. */
  #write(
    { userId, address }: Changer,
    tool: string,
    args: Record<string, unknown>,
    build: (db: Kysely<Schema>) => Promise<{ key: string; value: string; apply: () => void }>,
  ): Promise<void> {
    const { database } = this.#deps;
    return database.write(async (transaction) => {
      await database.engine.enter(transaction.db, 'policy');
      const { key, value, apply } = await build(transaction.db);
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

async function readPolicy(db: Kysely<Schema>): Promise<Policy> {
  const stored = await readState(db, POLICY);
  return policySchema.parse({ ...defaultPolicy, ...(stored && (JSON.parse(stored) as object)) });
}

async function readGuardsOff(db: Kysely<Schema>): Promise<Set<string>> {
  const off = await readState(db, GUARDS_OFF);
  return new Set(off === undefined ? [] : (JSON.parse(off) as string[]));
}
