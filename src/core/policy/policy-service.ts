import { NewestRead } from '../async/newest-read.ts';
import type { Kysely } from 'kysely';
import { type Guard as GuardInfo, type GuardName, guardNameSchema } from '../../contract/guards.ts';
import { type Policy, policySchema } from '../../contract/policy.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import type { DaemonIdentity } from '../daemon-identity.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Database } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import { writeState } from '../storage/state.ts';
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
  daemon: Pick<DaemonIdentity, 'isInCluster'>;
  bus: EventBus;
  /** Reports an unexpected error that no caller receives. */
  reportBug: (error: unknown) => void;
}

/**
 * Stores the tool policy and the disabled guards, and writes an audit entry with each change. What `current` resolves to
 * is what is stored; between two of its calls, a change by another daemon is known as soon as the hint of it comes.
 */
export class PolicyService {
  readonly #deps: PolicyServiceDeps;
  #policy: Policy;
  #guardsOff: ReadonlySet<string> = new Set();
  readonly #reads = new NewestRead();

  private constructor(deps: PolicyServiceDeps) {
    this.#deps = deps;
    this.#policy = defaultPolicy;
  }

  /** Loads what is stored, and again whenever another daemon has changed it. */
  static async load(deps: PolicyServiceDeps): Promise<PolicyService> {
    const service = new PolicyService(deps);
    await service.#reload();
    const again = () =>
      void service.#reload().catch((error: unknown) => {
        // What acts by the policy reads it again in any case.
        if (!(error instanceof AppError)) deps.reportBug(error);
      });
    deps.bus.onRemote('policy_changed', again);
    deps.bus.onGap(again);
    return service;
  }

  /** The policy with every change that was answered before, on any daemon; the guards are as new then. */
  async current(): Promise<Policy> {
    // A daemon that is alone has made every change itself.
    if (this.#deps.daemon.isInCluster) await this.#reload();
    return this.#policy;
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
      const policy = policySchema.parse({
        ...(await readStored(db)).policy,
        ...Object.fromEntries(changes),
      });
      return { key: POLICY, value: JSON.stringify(policy) };
    });
    return this.#policy;
  }

  async setGuard(name: GuardName, enabled: boolean, changer: Changer): Promise<GuardInfo> {
    await this.#write(changer, 'guard.changed', { name, enabled }, async (db) => {
      const { guardsOff: off } = await readStored(db);
      if (enabled) off.delete(name);
      else off.add(name);
      return { key: GUARDS_OFF, value: JSON.stringify([...off]) };
    });
    return this.#describe(name);
  }

  guards(): GuardInfo[] {
    return guardNameSchema.options.map((name) => this.#describe(name));
  }

  #describe(name: GuardName): GuardInfo {
    return { name, enabled: this.isGuardOn(name), description: guardDescriptions[name] };
  }

  /** Builds on what is stored, which others may have changed, and applies what is stored after the commit. */
  async #write(
    { userId, address }: Changer,
    tool: string,
    args: Record<string, unknown>,
    build: (db: Kysely<Schema>) => Promise<{ key: string; value: string }>,
  ): Promise<void> {
    const { database, audit, bus } = this.#deps;
    await database.write(async (transaction) => {
      await database.engine.enter(transaction.db, 'policy');
      const { key, value } = await build(transaction.db);
      await writeState(transaction.db, key, value);
      await audit.append(transaction, {
        kind: 'security',
        tool,
        userId,
        address,
        arguments: args,
        result: 'ok',
      });
      transaction.afterCommit(() => bus.emit('policy_changed', undefined));
    });
    await this.#reload();
  }

  async #reload(): Promise<void> {
    const stored = await this.#reads.newest(() => readStored(this.#deps.database.read));
    if (!stored) return;
    this.#policy = stored.policy;
    this.#guardsOff = stored.guardsOff;
  }
}

/** Both at one moment. */
async function readStored(db: Kysely<Schema>): Promise<{ policy: Policy; guardsOff: Set<string> }> {
  const rows = await db
    .selectFrom('state')
    .select(['key', 'value'])
    .where('key', 'in', [POLICY, GUARDS_OFF])
    .execute();
  const stored = new Map(rows.map(({ key, value }) => [key, JSON.parse(value) as unknown]));
  return {
    policy: policySchema.parse({ ...defaultPolicy, ...(stored.get(POLICY) as object | undefined) }),
    guardsOff: new Set(stored.get(GUARDS_OFF) as string[] | undefined),
  };
}
