import {
  type AgentContext,
  type ClientCapabilities,
  type ListSessionsRequest,
  type ListSessionsResponse,
  type NewSessionRequest,
  RequestError,
  type ResumeSessionRequest,
} from '@agentclientprotocol/sdk';
import { beginConversation } from '../chat/choose-conversation.ts';
import type { AcpDeps } from './acp-deps.ts';
import { AcpSession } from './acp-session.ts';
import { replayHistory } from './replay-history.ts';

const PAGE = 50;

/** The sessions that one editor has open. */
export class AcpSessions {
  readonly #deps: AcpDeps;
  readonly #open = new Map<string, AcpSession>();
  #capabilities: ClientCapabilities = {};

  constructor(deps: AcpDeps) {
    this.#deps = deps;
  }

  /** Learns what the editor can show. */
  takeClient(capabilities: ClientCapabilities | undefined): void {
    this.#capabilities = capabilities ?? {};
  }

  /** Creates a conversation that works in the directory of the editor. */
  async create({ cwd, mcpServers }: NewSessionRequest, client: AgentContext): Promise<AcpSession> {
    const { connection, settings } = this.#deps;
    requireAbsolute(cwd);
    const conversation = await beginConversation(connection, cwd, settings.agent);
    const session = this.#add(conversation.id, conversation.cwd, client);
    if (conversation.cwd === undefined)
      session.note(
        `The tools of this session do not work in ${cwd}, but in a directory of its own on the machine of the daemon.`,
      );
    this.#noteServers(session, mcpServers);
    return session;
  }

  /** Opens a conversation that exists, and sends what was said in it if it is replayed. */
  async open(
    { sessionId, cwd, mcpServers }: ResumeSessionRequest,
    client: AgentContext,
    { isReplayed }: { isReplayed: boolean },
  ): Promise<AcpSession> {
    const { connection } = this.#deps;
    requireAbsolute(cwd);
    const answer = await connection.client.conversations.get({ params: { id: sessionId } });
    const { conversation } = answer;
    if (connection.target.isLocal && conversation.cwd !== undefined && conversation.cwd !== cwd)
      throw new RequestError(-32602, `This session works in ${conversation.cwd}. Open it in that directory.`);
    await this.#open.get(sessionId)?.replace();
    const session = this.#add(sessionId, conversation.cwd, client);
    if (isReplayed) for (const update of replayHistory(answer)) await session.send(update);
    this.#noteServers(session, mcpServers);
    if (answer.pendingApprovals.length > 0) session.reopen(answer.pendingApprovals);
    return session;
  }

  /** The conversations of the caller whose directory is known, last used first. */
  async list({ cwd, cursor }: ListSessionsRequest): Promise<ListSessionsResponse> {
    const offset = Number(cursor ?? 0);
    if (!Number.isSafeInteger(offset) || offset < 0)
      throw new RequestError(-32602, 'The cursor is not valid');
    const query = { mine: true, limit: PAGE, offset, ...(typeof cwd === 'string' && { cwd }) };
    const { conversations, total } = await this.#deps.connection.client.conversations.list({ query });
    return {
      sessions: conversations.flatMap(({ id, cwd: directory, title, updatedAt }) =>
        directory === undefined ? [] : [{ sessionId: id, cwd: directory, title, updatedAt }],
      ),
      ...(total > offset + PAGE && { nextCursor: String(offset + PAGE) }),
    };
  }

  /** The session with this id, if this editor has opened it. */
  find(id: string): AcpSession {
    const session = this.#open.get(id);
    if (!session) throw RequestError.sessionNotFound(id);
    return session;
  }

  /** Stops the turn of a session; an unknown one has none. */
  async cancel(id: string): Promise<void> {
    await this.#open.get(id)?.cancel();
  }

  async close(id: string): Promise<Record<never, never>> {
    await this.find(id).cancel();
    this.#open.delete(id);
    return {};
  }

  async delete(id: string): Promise<Record<never, never>> {
    await this.#open.get(id)?.cancel();
    await this.#deps.connection.client.conversations.delete({ params: { id } });
    this.#open.delete(id);
    return {};
  }

  /** The editor is gone: turns end with it, except for those that wait for an approval. */
  async closeAll(): Promise<void> {
    await Promise.all([...this.#open.values()].map((session) => session.leave()));
    this.#open.clear();
  }

  #add(id: string, cwd: string | undefined, client: AgentContext): AcpSession {
    const session = new AcpSession({ ...this.#deps, id, cwd, client, capabilities: this.#capabilities });
    this.#open.set(id, session);
    return session;
  }

  #noteServers(session: AcpSession, servers: readonly { name: string }[] | undefined): void {
    if (servers === undefined || servers.length === 0) return;
    session.note(
      `MCP servers of the editor are not used: ${servers.map(({ name }) => name).join(', ')}. An administrator adds servers to svc.`,
    );
  }
}

function requireAbsolute(cwd: string): void {
  if (!cwd.startsWith('/')) throw new RequestError(-32602, 'cwd has to be an absolute path');
}
