import type { JsonRpcMessage } from '../../contract/mcp.ts';
import type { Approval } from '../../contract/approvals.ts';
import type { ApprovalService } from '../approvals/approval-service.ts';
import type { Caller } from '../auth/caller.ts';
import { hashToken } from '../auth/hash-token.ts';
import { AppError } from '../errors.ts';
import type { EventBus } from '../events.ts';
import type { Runtime } from '../runtime.ts';
import type { KeyRing } from '../secrets/key-ring.ts';
import { questionOf } from './approval-question.ts';

const PREFIX = 'svc-ask.';

export interface PersonQuestionDeps {
  approvals: Pick<ApprovalService, 'get' | 'decide' | 'waitForDecision'>;
  keys: Pick<KeyRing, 'hmac'>;
  runtime: Pick<Runtime, 'newSecret'>;
  bus: Pick<EventBus, 'on' | 'emit'>;
}

/** A call that a client waits for, in a session whose client can ask its user. */
export interface AskingCall {
  caller: Caller;
  session: string;
  /** Sends the client a message beside the answer of the call. */
  send: (message: JsonRpcMessage) => Promise<void>;
}

/**
 * Questions to the person at a client up to revision 2025-11-25 (`elicitation/create`). Nothing is stored: the id of a
 * question says about which call it is and in which session it was asked, so that any daemon can take the answer.
 */
export class PersonQuestions {
  readonly #deps: PersonQuestionDeps;
  constructor(deps: PersonQuestionDeps) {
    this.#deps = deps;
  }

  /**
   * Asks about a call, and resolves with its approval once the person has answered or it was decided elsewhere: it is still
   * pending where no one has decided. Takes the question back where the signal aborts.
   */
  async ask(
    { caller, session, send }: AskingCall,
    approval: Approval,
    signal: AbortSignal,
  ): Promise<Approval> {
    const { approvals, runtime, bus } = this.#deps;
    const nonce = runtime.newSecret(6);
    const id = `${PREFIX}${approval.id}.${nonce}.${this.#sign(session, approval, nonce)}`;
    const answered = new AbortController();
    const over = AbortSignal.any([signal, answered.signal]);
    const key = hashToken(id);
    const unsubscribe = bus.on('mcp_answered', (answer) => {
      if (answer.key === key) answered.abort();
    });
    try {
      await send({ jsonrpc: '2.0', id, method: 'elicitation/create', params: formOf(approval) });
      await approvals.waitForDecision(approval.id, over);
    } catch (error) {
      if (!over.aborted) throw error;
    } finally {
      unsubscribe();
    }
    if (!answered.signal.aborted) await withdraw(send, id);
    if (signal.aborted) return approval;
    return approvals.get(caller, approval.id);
  }

  /**
   * Takes a message that answers a question of this session; false where it is none. Throws an `AppError` where the call can
   * no longer be decided.
   */
  async take(caller: Caller, session: string, { id, result }: JsonRpcMessage): Promise<boolean> {
    if (typeof id !== 'string' || !id.startsWith(PREFIX)) return false;
    const { approvals, bus } = this.#deps;
    const [approvalId = '', nonce = '', signature] = id.slice(PREFIX.length).split('.');
    const asked = await approvals.get(caller, approvalId);
    if (signature !== this.#sign(session, asked, nonce))
      throw new AppError('not_found', 'The question is not known');
    const content = result?.['action'] === 'accept' ? result['content'] : undefined;
    const { decision } = { ...(content as { decision?: unknown } | undefined) };
    try {
      if (decision === 'allow-once' || decision === 'deny')
        await approvals.decide(caller, approvalId, decision);
    } finally {
      bus.emit('mcp_answered', { key: hashToken(id) });
    }
    return true;
  }

  /** Over what was shown, too: an answer is about exactly that. */
  #sign(session: string, { id, binding }: Approval, nonce: string): string {
    return this.#deps.keys.hmac('codes', `mcp question ${session} ${id} ${binding} ${nonce}`).slice(0, 32);
  }
}

/** The question as a form of the protocol. */
const formOf = (approval: Approval) => ({
  message: questionOf(approval),
  requestedSchema: {
    type: 'object',
    properties: {
      decision: {
        type: 'string',
        title: 'Decision',
        enum: ['allow-once', 'deny'],
        enumNames: ['Allow this call once', 'Deny it'],
      },
    },
    required: ['decision'],
  },
});

/** Takes a question back; a client that is gone needs no word of it. */
const withdraw = (send: AskingCall['send'], requestId: string) =>
  send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } }).catch(() => undefined);
