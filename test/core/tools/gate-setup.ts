import { aloneDaemon, type DaemonIdentity } from '../../../src/core/daemon-identity.ts';
import { z } from 'zod';
import type { ApprovalDecision } from '../../../src/contract/approvals.ts';
import type { GuardName } from '../../../src/contract/guards.ts';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { EventBus } from '../../../src/core/events.ts';
import { NotificationService } from '../../../src/core/notifications/notification-service.ts';
import { ApprovalService } from '../../../src/core/approvals/approval-service.ts';
import { ApprovalStore } from '../../../src/core/approvals/approval-store.ts';
import { PolicyService } from '../../../src/core/policy/policy-service.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { SecretFiles } from '../../../src/core/paths/secret-files.ts';
import { CallReview } from '../../../src/core/tools/call-review.ts';
import { EditedCalls } from '../../../src/core/tools/edited-calls.ts';
import type { Guard } from '../../../src/core/tools/guards/guard.ts';
import type { Tool, ToolAccess, ToolContext, ToolOutput } from '../../../src/core/tools/tool.ts';
import { type RequestedCall, ToolGate, type ToolRun } from '../../../src/core/tools/tool-gate.ts';
import { ToolRegistry } from '../../../src/core/tools/tool-registry.ts';
import { breakTable } from '../../helpers/break-table.ts';
import { unsigned } from '../../helpers/approvals.ts';
import { openStorage } from '../../helpers/storage.ts';
import { contextIn, testTool } from './guarded-calls.ts';
import { plantTree, type TestTree } from './test-tree.ts';

export const ann: Caller = { userId: 'user_ann', role: 'user' };
export const bob: Caller = { userId: 'user_bob', role: 'user' };

const reportBug = (error: unknown) => {
  throw error;
};

export type OpenGate = Awaited<ReturnType<typeof openGate>>;

/** A gate over a real database, with one tool and one guard that do what the test says. */
export async function openGate(
  change: Partial<Tool> = {},
  moreGuards: Guard[] = [],
  homeIn: (tree: TestTree) => string | undefined = () => undefined,
  moreTools: Tool[] = [],
  daemon: Pick<DaemonIdentity, 'isInCluster'> = aloneDaemon,
) {
  const storage = await openStorage();
  const tree = await plantTree();
  const { database, bus } = storage;
  const clock: { now: Date; expireAfterMs?: number } = { now: new Date('2026-03-01T12:00:00Z') };
  const runtime = { ...systemRuntime, now: () => clock.now };
  // Limits of a user hold under a lock of their row.
  await database.write(({ db }) =>
    db
      .insertInto('users')
      .values(
        ['ann', 'bob'].map((name) => ({
          id: `user_${name}`,
          email: `${name}@example.org`,
          name,
          role: 'user',
          onboarding_completed: 0,
          created_at: clock.now.toISOString(),
        })),
      )
      .execute(),
  );
  const audit = new AuditLog(runtime, database.engine);
  const loadPolicy = () => PolicyService.load({ database, audit, daemon, bus: new EventBus(), reportBug });
  const policy = await loadPolicy();
  const approvalStore = new ApprovalStore(database);
  const notifications = new NotificationService({ database, bus, runtime });
  const approvals = new ApprovalService({
    daemon: aloneDaemon,
    database,
    store: approvalStore,
    bus,
    audit,
    notifications,
    outbox: { addApproval: async () => undefined },
    ...unsigned(runtime),
    expireAfterMs: () => clock.expireAfterMs,
    runtime,
  });
  /** All steps in order. */
  const steps: string[] = [];
  const behaviour = {
    access: {} as ToolAccess,
    guard: (): ReturnType<Guard['check']> => undefined,
    run: async (): Promise<ToolOutput> => ({ content: 'done' }),
  };
  const tool: Tool = testTool({
    input: z.looseObject({}),
    plan: () => {
      steps.push('plan');
      return {
        access: behaviour.access,
        run: async () => {
          steps.push('run');
          return behaviour.run();
        },
      };
    },
    ...change,
  });
  const guard = (name: GuardName, check: Guard['check']): Guard => ({
    name,
    check: (call) => {
      steps.push(`guard ${name}`);
      return check(call);
    },
  });
  const faults: string[] = [];
  const note = (_: object, message: string) => void faults.push(message);
  const secretFiles = new SecretFiles();
  const parts = {
    database,
    registry: new ToolRegistry([tool, ...moreTools], { tools: async () => [], servers: async () => [] }),
    guards: [
      guard('path-traversal', () => behaviour.guard()),
      guard('rate-limit', () => undefined),
      ...moreGuards,
    ],
    protectedDirectories: [],
    home: homeIn(tree),
    secretFiles,
    policy,
    approvals,
    approvalStore,
    audit,
    runtime,
    log: { debug: note, info: note, warn: note, error: note },
  };
  const review = new CallReview(parts);
  const gate = new ToolGate(parts, review);
  const rows = () =>
    database.read.selectFrom('audit_log').selectAll().where('kind', '=', 'tool').orderBy('seq').execute();
  const runOf = (context: Partial<ToolContext> = {}, canAsk = true): ToolRun => ({
    id: 'run_1',
    canAsk,
    context: contextIn(tree.workspace, { userId: ann.userId, conversationId: 'conv_1', ...context }),
  });
  return {
    gate,
    policy,
    /** That of another daemon on the database, which tells this one nothing. */
    loadPolicy,
    approvals,
    approvalStore,
    editedCalls: new EditedCalls({ approvals, review }),
    database,
    bus,
    tree,
    clock,
    steps,
    behaviour,
    /** Messages that were logged. */
    faults,
    runOf,
    call: (call: Partial<RequestedCall> = {}, run = runOf()) =>
      gate.call(run, { id: 'call_1', name: tool.name, args: {}, ...call }),
    /** Calls the tool and returns the id of the approval that it waits for. */
    async ask(call: Partial<RequestedCall> = {}, run = runOf()) {
      const answer = await gate.call(run, { id: 'call_1', name: tool.name, args: {}, ...call });
      if (answer.kind !== 'waiting')
        throw new Error(`The call did not wait for an approval: ${answer.result.content}`);
      return answer.approval.id;
    },
    decide: (id: string, decision: ApprovalDecision = 'allow-once', caller = ann) =>
      approvals.decide(caller, id, decision),
    ran: () => steps.filter((step) => step === 'run').length,
    /** Results of the audit log, each up to its first colon. */
    audited: async () => (await rows()).map(({ result }) => result.split(':')[0]),
    rows,
    /** Makes the audit log reject entries of this kind. */
    breakAudit: (what: 'intent' | 'result' | 'everything') => {
      const condition = {
        intent: "new.result = 'intent'",
        result: "new.result like 'ok%'",
        everything: undefined,
      }[what];
      return breakTable(database, 'audit_log', {
        on: 'insert',
        message: 'no more',
        ...(condition !== undefined && { condition }),
      });
    },
    async [Symbol.asyncDispose]() {
      await storage[Symbol.asyncDispose]();
      await tree[Symbol.asyncDispose]();
    },
  };
}
