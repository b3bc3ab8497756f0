import { aloneDaemon } from '../../../src/core/daemon-identity.ts';
import type { ApprovalDecision, DecideApproval } from '../../../src/contract/approvals.ts';
import type { SignedDecision } from '../../../src/contract/signed-decision.ts';
import type { SigningKey } from '../../../src/contract/keys.ts';
import type { NewApproval } from '../../../src/core/approvals/approval-facts.ts';
import { ApprovalService } from '../../../src/core/approvals/approval-service.ts';
import { ApprovalStore } from '../../../src/core/approvals/approval-store.ts';
import { signaturePolicy } from '../../../src/core/approvals/signature-policy.ts';
import { SigningKeyService } from '../../../src/core/approvals/signing-key-service.ts';
import { AuditLog } from '../../../src/core/audit/audit-log.ts';
import { AuditService } from '../../../src/core/audit/audit-service.ts';
import { AuditStore } from '../../../src/core/audit/audit-store.ts';
import type { Caller } from '../../../src/core/auth/caller.ts';
import { NotificationService } from '../../../src/core/notifications/notification-service.ts';
import { systemRuntime } from '../../../src/core/runtime.ts';
import { newApproval, unsigned } from '../../helpers/approvals.ts';
import { newSigner, signatureOn, type Signer } from '../../helpers/signers.ts';
import { openStorage } from '../../helpers/storage.ts';

export const phone =
  'Mozilla/5.0 (Linux; Android 16; Pixel 8) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36';

/** A person with a session and a key of it. */
export interface SigningPerson {
  caller: Caller;
  signer: Signer;
  key: SigningKey;
}

export type SigningWorld = Awaited<ReturnType<typeof openSigning>>;

/** Approvals, keys and the audit log over a real database. */
export async function openSigning(required: 'never' | 'high-danger' | 'always' = 'always') {
  const storage = await openStorage();
  const { database, bus } = storage;
  const setting = { required, isOpen: false };
  const clock = { now: new Date('2026-03-01T12:00:00.000Z') };
  const runtime = { ...systemRuntime, now: () => clock.now };
  const audit = new AuditLog(runtime, database.engine);
  const notifications = new NotificationService({ database, bus, runtime });
  const needs = signaturePolicy(() => setting.required);
  const approvalStore = new ApprovalStore(database, needs);
  const approvals = new ApprovalService({
    daemon: aloneDaemon,
    database,
    bus,
    runtime,
    audit,
    notifications,
    store: approvalStore,
    outbox: { addApproval: async () => undefined },
    ...unsigned(runtime, needs),
    expireAfterMs: () => 3_600_000,
  });
  const keys = new SigningKeyService({
    database,
    audit,
    notifications,
    runtime,
    isOpen: () => setting.isOpen,
    isRequired: () => setting.required !== 'never',
  });
  let calls = 0;
  const addSession = async (name: string, id: string, different: { kind?: string; device?: string } = {}) => {
    const at = clock.now.toISOString();
    const { kind = 'sign-in', device } = different;
    const owner_id = `user_${name}`;
    await database.write(async ({ db }) => {
      await db
        .insertInto('users')
        .values({
          id: owner_id,
          email: `${name}@example.org`,
          name,
          role: 'user',
          onboarding_completed: 0,
          created_at: at,
        })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
      if (device !== undefined)
        await db
          .insertInto('devices')
          .values({
            id: device,
            owner_id,
            approved_by: null,
            name: 'Pixel 8',
            role: 'user',
            public_key: null,
            created_at: at,
            limited: 0,
          })
          .execute();
      await db
        .insertInto('sessions')
        .values({
          id,
          token_hash: `hash of ${id}`,
          owner_id,
          kind,
          role: 'user',
          device_id: device ?? null,
          user_agent: phone,
          address: null,
          created_at: at,
          last_seen_at: at,
          expires_at: null,
        })
        .execute();
    });
    const caller: Caller = {
      userId: owner_id,
      role: 'user',
      sessionId: id,
      ...(device !== undefined && { deviceId: device }),
    };
    return caller;
  };
  return {
    ...storage,
    setting,
    clock,
    approvals,
    approvalStore,
    keys,
    addSession,
    audits: new AuditService(new AuditStore(database), '/nowhere'),
    entries: () => database.read.selectFrom('audit_log').selectAll().orderBy('seq').execute(),
    /** A person with a session whose key is registered. */
    async sign(
      name: string,
      session = `sess_${name}`,
      signer = newSigner(),
      device?: string,
    ): Promise<SigningPerson> {
      const caller = await addSession(name, session, device === undefined ? {} : { kind: 'device', device });
      return { caller, signer, key: await keys.register(caller, signer) };
    },
    /** A call of ann that waits, each in a scope of its own unless the test says so. */
    async ask(different: Partial<NewApproval> = {}) {
      const at = ++calls;
      const row = await approvals.request(
        newApproval({
          owner_id: 'user_ann',
          run_id: `run_${at}`,
          scope_id: `scope_${at}`,
          binding: `binding ${at}`,
          arguments: JSON.stringify({ command: `rm ${at}` }),
          ...different,
        }),
      );
      return approvals.show(row);
    },
    /** The decision of a person, with a signature on what they are shown. */
    async decide(
      { caller, signer, key }: SigningPerson,
      id: string,
      decision: ApprovalDecision = 'allow-once',
      different: Partial<SignedDecision> = {},
      body: Pick<DecideApproval, 'denialReason'> & { covers?: 'kind' | 'tool' } = {},
    ) {
      const approval = await approvals.get(caller, id);
      const whole = { ...body, decision };
      const signature = signatureOn(signer, key, approval, whole, clock.now.toISOString(), different);
      return approvals.decide(caller, id, decision, { ...body, signature });
    },
  };
}
