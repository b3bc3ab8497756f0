import type {
  AgentDriver,
  AgentExit,
  CreateDriver,
  DriverFailure,
  DriverListener,
  PermissionAnswer,
  PermissionQuestion,
  PromptImage,
  SessionOrder,
  TurnEnd,
} from '../driver.ts';
import { JsonRpcPeer, methodNotFound } from '../json-rpc.ts';
import { AcpCalls, isOver, type KnownCall } from './calls.ts';
import { exitFailure, failure, requestFailure } from './failure.ts';
import { type Fields, idOf, listOf, objectOf, textOf } from './fields.ts';
import { type OpenedSession, openSession } from './open-session.ts';
import {
  hasArgumentsToCome,
  type PermissionResponse,
  permissionQuestion,
  permissionResponse,
} from './questions.ts';
import { Steps } from './steps.ts';
import { Turn } from './turn.ts';
import { AcpUsage } from './usage.ts';

/** Speaks version 1 of the Agent Client Protocol. */
export const createAcpDriver: CreateDriver = (send, listener) => new AcpDriver(send, listener);

class AcpDriver implements AgentDriver {
  readonly #peer: JsonRpcPeer;
  readonly #listener: DriverListener;
  readonly #calls = new AcpCalls();
  readonly #usage = new AcpUsage();
  readonly #steps: Steps;
  /** Answers each open question `cancelled`. */
  readonly #openQuestions = new Set<() => void>();
  /** Questions about calls whose arguments are still to come, by the ID of the call. */
  readonly #waiting = new Map<string, () => void>();
  #session: OpenedSession | undefined;
  #mode: string | undefined;
  #turn: Turn | undefined;
  /** What comes before the first prompt of a session is the past of it. */
  #hasPrompted = false;
  #exit: { exit: AgentExit; detail: string } | undefined;

  constructor(send: (message: object) => void, listener: DriverListener) {
    this.#listener = listener;
    this.#steps = new Steps(() => listener.onStep());
    this.#peer = new JsonRpcPeer({
      send,
      hasVersion: true,
      onRequest: async (method, params) => {
        if (method !== 'session/request_permission') throw methodNotFound(method);
        return this.#ask(params);
      },
      onNotification: (method, params) => {
        if (method !== 'session/update' || !this.#hasPrompted) return;
        const update = objectOf(params['update']);
        if (this.#isOwn(params['sessionId']) || isCall(update)) this.#update(update);
      },
    });
  }

  receive(line: string): void {
    this.#peer.receive(line);
  }

  close(exit: AgentExit, detail: string): void {
    this.#exit = { exit, detail };
    this.#peer.close();
    this.#closeQuestions();
  }

  async open(order: SessionOrder): Promise<{ sessionId?: string | undefined } | { failure: DriverFailure }> {
    this.#calls.useServers(order.mcpServers.map(({ name }) => name));
    this.#mode = order.mode;
    try {
      const opened = await openSession(this.#peer, order, (note) => this.#listener.onNote(note));
      if ('failure' in opened) return opened;
      this.#session = opened;
      this.#listener.onSession(opened.id);
      return { sessionId: opened.id };
    } catch (error) {
      return { failure: requestFailure(error, () => this.#exited()) };
    }
  }

  async prompt(text: string, images: readonly PromptImage[] = []): Promise<TurnEnd> {
    const turn = new Turn();
    const session = this.#session;
    if (!session || this.#turn)
      return turn.failed(
        failure(
          { class: 'agent_error', code: 'not_ready' },
          session ? 'The agent is still at work.' : 'The session is not open.',
        ),
      );
    if (images.length > 0 && !session.acceptsImages)
      this.#listener.onNote('The agent takes no images; it gets the text alone.');
    this.#turn = turn;
    this.#hasPrompted = true;
    this.#steps.boundary();
    try {
      const answer = objectOf(
        await this.#peer.call('session/prompt', {
          sessionId: session.id,
          prompt: [
            ...(session.acceptsImages ? images : []).map(({ mediaType, base64 }) => ({
              type: 'image',
              mimeType: mediaType,
              data: base64,
            })),
            { type: 'text', text },
          ],
        }),
      );
      const usage = this.#usage.addAnswer(answer);
      if (usage) this.#listener.onUsage(usage);
      return turn.end(answer);
    } catch (error) {
      return turn.failed(requestFailure(error, () => this.#exited()));
    } finally {
      this.#turn = undefined;
      this.#closeQuestions();
    }
  }

  cancel(): void {
    if (!this.#turn || !this.#session || this.#turn.isCancelled) return;
    this.#turn.isCancelled = true;
    this.#peer.notify('session/cancel', { sessionId: this.#session.id });
    this.#closeQuestions();
  }

  /** Agents that the agent starts itself have sessions of their own: their calls count, their words are not the answer. */
  #isOwn(sessionId: unknown): boolean {
    return (idOf(sessionId) ?? this.#session?.id) === this.#session?.id;
  }

  #exited(): DriverFailure {
    const { exit, detail } = this.#exit ?? { exit: { code: null, signal: null }, detail: '' };
    return exitFailure(exit, detail);
  }

  #closeQuestions(): void {
    for (const close of this.#openQuestions) close();
    this.#openQuestions.clear();
  }

  async #ask(params: Fields): Promise<PermissionResponse> {
    const { known, isNew } = this.#calls.update('question', objectOf(params['toolCall']));
    const turn = this.#turn;
    if (isNew) this.#steps.output();
    this.#listener.onCall(known.call);
    // Outside a turn nobody waits for the answer.
    const answer: PermissionAnswer =
      !turn || turn.isCancelled
        ? { decision: 'cancelled' }
        : await this.#decide(() => this.#listener.ask(this.#question(known)));
    if (answer.decision === 'cancelled' && turn === this.#turn) this.cancel();
    const response = permissionResponse(params['options'], answer);
    const isAllowed = answer.decision === 'allow' && response.outcome.outcome === 'selected';
    if (answer.decision === 'cancelled' || isAllowed) return response;
    turn?.deny();
    if (!isOver(known.call)) {
      known.call.status = 'declined';
      this.#listener.onCall(known.call);
    }
    return response;
  }

  #question(known: KnownCall): PermissionQuestion {
    if (!hasArgumentsToCome(known)) return permissionQuestion(known);
    const later = new Promise<void>((resolve) => {
      this.#waiting.set(known.id, resolve);
    }).then(() => this.#question(known));
    return { ...permissionQuestion(known), later };
  }

  /** The decision, or `cancelled` as soon as the question is closed. */
  async #decide(ask: () => Promise<PermissionAnswer>): Promise<PermissionAnswer> {
    let close: () => void = () => undefined;
    const closed = new Promise<PermissionAnswer>((resolve) => {
      close = () => resolve({ decision: 'cancelled' });
    });
    this.#openQuestions.add(close);
    try {
      return await Promise.race([ask(), closed]);
    } finally {
      this.#openQuestions.delete(close);
    }
  }

  #update(update: Fields): void {
    const kind = update['sessionUpdate'];
    const text = textOf(objectOf(update['content'])['text']) ?? '';
    if (isCall(update)) this.#onCall(update['sessionUpdate'], update);
    else if (kind === 'agent_message_chunk' && text !== '') {
      this.#steps.output();
      this.#turn?.say(text, update['messageId'] ?? undefined);
      this.#listener.onText(text);
    } else if (kind === 'agent_thought_chunk' && text !== '') {
      this.#steps.output();
      this.#listener.onThinking(text);
    } else if (kind === 'plan') {
      this.#steps.output();
      this.#listener.onPlan(
        listOf(update['entries']).map(({ content, status }) => ({
          text: textOf(content) ?? '',
          status: textOf(status) ?? 'pending',
        })),
      );
    } else if (kind === 'usage_update') {
      this.#steps.boundary();
      const usage = this.#usage.setCost(update);
      if (usage) this.#listener.onUsage(usage);
    } else if (kind === 'current_mode_update') this.#onMode(textOf(update['currentModeId']));
  }

  #onCall(source: 'tool_call' | 'tool_call_update', update: Fields): void {
    if (idOf(update['toolCallId']) === undefined) return;
    const { known, isNew } = this.#calls.update(source, update);
    if (isNew) this.#steps.output();
    if (isOver(known.call)) this.#steps.boundary();
    this.#turn?.note(known.call);
    this.#listener.onCall(known.call);
    this.#waiting.get(known.id)?.();
  }

  #onMode(mode: string | undefined): void {
    if (mode !== undefined && this.#mode !== undefined && mode !== this.#mode)
      this.#listener.onNote(`The agent changed its mode from ${this.#mode} to ${mode}.`);
  }
}

/** Whether an update is of a tool call. */
const isCall = (update: Fields): update is Fields & { sessionUpdate: 'tool_call' | 'tool_call_update' } =>
  update['sessionUpdate'] === 'tool_call' || update['sessionUpdate'] === 'tool_call_update';
