import { version } from '../../../version.ts';
import type {
  AgentDriver,
  AgentExit,
  CreateDriver,
  DriverFailure,
  DriverListener,
  PromptImage,
  SessionOrder,
  TurnEnd,
} from '../driver.ts';
import { JsonRpcError, JsonRpcPeer } from '../json-rpc.ts';
import { exitFailure, requestFailure } from './codex-failure.ts';
import { type Fields, fieldsOf, textOf } from './codex-fields.ts';
import { handleNotification } from './codex-notifications.ts';
import { answerRequest } from './codex-permissions.ts';
import { CodexSession } from './codex-session.ts';
import { CodexTurn } from './codex-turn.ts';

/** Drives `codex app-server`. */
export const createCodexDriver: CreateDriver = (send, listener) => new CodexDriver(send, listener);

class CodexDriver implements AgentDriver {
  readonly #session: CodexSession;
  readonly #peer: JsonRpcPeer;
  #crash: DriverFailure | undefined;

  constructor(send: (message: object) => void, listener: DriverListener) {
    const session = new CodexSession(listener);
    this.#session = session;
    this.#peer = new JsonRpcPeer({
      send,
      hasVersion: false,
      onRequest: (method, params) => answerRequest(session, method, params, () => this.cancel()),
      onNotification: (method, params) => handleNotification(session, method, params),
    });
  }

  receive(line: string): void {
    this.#peer.receive(line);
  }

  close(exit: AgentExit, detail: string): void {
    const crash = exitFailure(exit, detail);
    this.#crash = crash;
    this.#session.endTurn((turn) => turn.fail(crash));
    this.#peer.close();
  }

  async open(order: SessionOrder): Promise<{ sessionId?: string | undefined } | { failure: DriverFailure }> {
    const session = this.#session;
    session.isResumed = order.resume !== undefined;
    try {
      await this.#peer.call('initialize', { clientInfo: { name: 'svc', title: 'svc', version } });
      this.#peer.notify('initialized');
      const started = await this.#openThread(order);
      const id = textOf(fieldsOf(started['thread'])['id']);
      const failure = id === undefined ? requestFailure(new Error('no thread id')) : checkMode(started);
      if (failure) return { failure };
      session.threadId = id;
      if (id !== undefined) session.listener.onSession(id);
      return { sessionId: id };
    } catch (error) {
      return { failure: this.#crash ?? requestFailure(error, order.resume) };
    }
  }

  prompt(text: string, images: readonly PromptImage[] = []): Promise<TurnEnd> {
    const session = this.#session;
    const { threadId } = session;
    const turn = new CodexTurn(session.listener);
    if (this.#crash || threadId === undefined || session.turn) {
      turn.fail(this.#crash ?? requestFailure(new Error('no thread is ready for a turn')));
      return turn.ended;
    }
    session.turn = turn;
    const input = [
      ...images.map(({ mediaType, base64 }) => ({
        type: 'image',
        url: `data:${mediaType};base64,${base64}`,
      })),
      { type: 'text', text, text_elements: [] },
    ];
    this.#peer.call('turn/start', { threadId, input }).then(
      (result) => session.nameTurn(turn, fieldsOf(fieldsOf(result)['turn'])['id']),
      (error: unknown) => session.endTurn((current) => current.fail(requestFailure(error)), turn),
    );
    return turn.ended;
  }

  cancel(): void {
    const { turn } = this.#session;
    if (!turn || turn.isCancelled) return;
    turn.isCancelled = true;
    turn.withdrawQuestions();
    void Promise.allSettled([turn.named, ...turn.answers]).then(() => this.#interrupt(turn));
  }

  #interrupt(turn: CodexTurn): void {
    const { threadId, listener } = this.#session;
    if (this.#session.turn !== turn) return;
    this.#peer.call('turn/interrupt', { threadId, turnId: turn.id }).catch((error: unknown) => {
      // A turn that has just ended cannot be interrupted; its end is what counts.
      if (this.#session.turn === turn) listener.onNote(requestFailure(error).message);
    });
  }

  /** The servers of the user, switched off: their settings could let tools run unasked. */
  async #withoutOtherServers(cwd: string, ours: SessionOrder['mcpServers']): Promise<Fields> {
    const read = await this.#peer.call('config/read', { cwd }, 'settings').catch((error: unknown) => {
      // Older versions cannot be asked.
      if (error instanceof JsonRpcError) return {};
      throw error;
    });
    const names = Object.keys(fieldsOf(fieldsOf(fieldsOf(read)['config'])['mcp_servers']));
    const others = names.filter((name) => !ours.some((server) => server.name === name));
    return Object.fromEntries(others.map((name) => [`mcp_servers.${name}.enabled`, false]));
  }

  async #openThread({ resume, cwd, model, isSandboxed, mcpServers }: SessionOrder): Promise<Fields> {
    const options = {
      cwd,
      approvalPolicy: 'untrusted',
      sandbox: isSandboxed ? 'danger-full-access' : 'workspace-write',
      ...(model !== undefined && { model }),
      config: await this.#withoutOtherServers(cwd, mcpServers),
    };
    return fieldsOf(
      resume === undefined
        ? await this.#peer.call('thread/start', options)
        : await this.#peer.call('thread/resume', { threadId: resume, ...options }),
    );
  }
}

/** Managed settings of a computer may override the mode: then questions would go to somebody else, or to nobody. */
function checkMode({ approvalPolicy, approvalsReviewer }: Fields): DriverFailure | undefined {
  if ((approvalPolicy ?? 'untrusted') === 'untrusted' && (approvalsReviewer ?? 'user') === 'user')
    return undefined;
  return {
    class: 'agent_error',
    code: 'does_not_ask',
    message:
      'Codex does not ask svc before each tool call. Check `approval_policy` and `approvals_reviewer` in the managed settings of Codex.',
  };
}
