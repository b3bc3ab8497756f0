import { replaceMethod } from './replace-method.ts';
import type { PlantedFault } from './planted-fault.ts';
import { writeBeside } from './write-beside.ts';

/** Bugs in the work of models that the rig must catch. */
export const agentFaults: Record<string, PlantedFault> = {
  'no-intent': {
    what: 'a call is not written into the audit log before it is made',
    load: 'agents',
    async plant() {
      const { AuditLog } = await import('../../../src/core/audit/audit-log.ts');
      replaceMethod(AuditLog.prototype, 'append', (append) => async (transaction, entry) => {
        if (entry.result !== 'intent') await append(transaction, entry);
      });
    },
  },
  'late-intent': {
    what: 'the intent is written with the result',
    load: 'agents',
    async plant() {
      const { AuditLog } = await import('../../../src/core/audit/audit-log.ts');
      const late = new Map<string, Parameters<InstanceType<typeof AuditLog>['append']>[1]>();
      replaceMethod(AuditLog.prototype, 'append', (append) => async (transaction, entry) => {
        const { callId = '', result } = entry;
        if (result === 'intent') return void late.set(callId, entry);
        const intent = late.get(callId);
        if (intent) await append(transaction, intent);
        late.delete(callId);
        await append(transaction, entry);
      });
    },
  },
  'approval-not-used-up': {
    what: 'an approval is good for more than one run',
    load: 'agents',
    async plant() {
      const { ApprovalStore } = await import('../../../src/core/approvals/approval-store.ts');
      replaceMethod(ApprovalStore.prototype, 'use', () => async () => true);
    },
  },
  'state-not-saved': {
    what: 'how far a run is, is not kept',
    load: 'agents',
    points: ['tool-ran', 'after-result', 'after-state'],
    async plant() {
      const { AgentRunStore } = await import('../../../src/core/chat/runs/agent-run-store.ts');
      replaceMethod(
        AgentRunStore.prototype,
        'save',
        (save) => (id, change) =>
          save(id, 'state' in change ? { updated_at: new Date().toISOString() } : change),
      );
    },
  },
  'begun-forgotten': {
    what: 'a call that was under way in a crash is taken for one that was never made',
    load: 'agents',
    points: ['tool-ran', 'after-result'],
    async plant() {
      const { AgentRunStore } = await import('../../../src/core/chat/runs/agent-run-store.ts');
      replaceMethod(AgentRunStore.prototype, 'save', (save) => (id, change) => {
        const state = change.state?.replaceAll('"isBegun":true', '"isBegun":false');
        return save(id, { ...change, ...(state !== undefined && { state }) });
      });
    },
  },
  'resume-lost': {
    what: 'a start does not go on with messages that waited',
    load: 'agents',
    kinds: ['message'],
    points: ['after-decision', 'message-waits', 'resumed'],
    async plant() {
      const { WaitingMessages } = await import('../../../src/core/chat/runs/waiting-messages.ts');
      replaceMethod(WaitingMessages.prototype, 'start', () => async () => undefined);
    },
  },
  'answer-apart': {
    what: 'a message that waits is kept before the message that its answer goes into',
    load: 'agents',
    kinds: ['message'],
    points: ['message-waits'],
    async plant() {
      const { ConversationService } = await import('../../../src/core/chat/conversation-service.ts');
      const write = await writeBeside();
      replaceMethod(
        ConversationService.prototype,
        'append',
        (append) =>
          async (caller, id, message, storeMore = async () => undefined) => {
            await write(({ db }) => storeMore(db));
            return append(caller, id, message);
          },
      );
    },
  },
  'message-apart': {
    what: 'the task of an agentic message is stored before the message',
    load: 'agents',
    kinds: ['agentic'],
    points: ['after-new-run'],
    async plant() {
      const { ConversationService } = await import('../../../src/core/chat/conversation-service.ts');
      const write = await writeBeside();
      replaceMethod(ConversationService.prototype, 'appendWith', (appendWith) => async (db, ...rest) => {
        const [caller, id, message] = rest;
        if (message.role !== 'user') return appendWith(db, ...rest);
        const row = { id: 'msg_apart', ...message };
        setTimeout(() => void write(async (later) => void (await appendWith(later.db, caller, id, row))), 5);
        return { ...row, conversation_id: id, seq: 1 } as Awaited<ReturnType<typeof appendWith>>;
      });
    },
  },
  'answer-twice': {
    what: 'each attempt at an agentic message stores its answer again',
    load: 'agents',
    kinds: ['agentic'],
    points: ['execute-end', 'before-outcome'],
    async plant() {
      const { ConversationService } = await import('../../../src/core/chat/conversation-service.ts');
      const { ConversationStore } = await import('../../../src/core/chat/conversation-store.ts');
      replaceMethod(
        ConversationStore.prototype,
        'changeMessage',
        (change) => async (db, id, message) =>
          message.role === undefined ? change(db, id, message) : undefined,
      );
      let answers = 0;
      replaceMethod(
        ConversationService.prototype,
        'appendWith',
        (append) => (db, caller, id, message, more) => {
          const isAgentic = message.role === 'assistant' && more === undefined;
          const again = isAgentic && { id: `msg-${process.pid}-${++answers}` };
          return append(db, caller, id, { ...message, ...again }, more);
        },
      );
    },
  },
  'broken-chain': {
    what: 'entries of the audit log are lost now and then',
    load: 'agents',
    async plant() {
      const { AuditLog } = await import('../../../src/core/audit/audit-log.ts');
      let entries = 0;
      replaceMethod(AuditLog.prototype, 'append', (append) => async (transaction, entry) => {
        await append(transaction, entry);
        if (++entries % 20 === 0) await transaction.db.deleteFrom('audit_log').where('seq', '=', 2).execute();
      });
    },
  },
};
