import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, vi } from 'vitest';
import type { Approval, ApprovalDecision } from '../../../src/contract/approvals.ts';
import type { Changes, UndoReport } from '../../../src/contract/changes.ts';
import type { Conversation, ConversationMessage } from '../../../src/contract/conversations.ts';
import type { RunEventInput } from '../../../src/contract/run-events.ts';

export const conversationId = 'conv_00000000-0000-4000-8000-000000000001';
export const taskId = 'task_00000000-0000-4000-8000-000000000001';
const at = '2026-11-21T10:00:00.000Z';

const frame = (data: object) => `data: ${JSON.stringify(data)}\n\n`;

/** Plays a run: sends its events, and waits for what the client does. */
export type Script = (run: ScriptedRun) => void | Promise<void>;

export interface AskedDaemon {
  route: string;
  body: Record<string, unknown>;
}

/** A request for a run, as the script sees it. */
export class ScriptedRun {
  readonly content: string;
  readonly #response: ServerResponse;
  readonly #decisions: Map<string, PromiseWithResolvers<ApprovalDecision>>;
  readonly #runId: string;
  readonly #publish: (event: RunEventInput) => void;
  /** Resolves when the client breaks the stream off. */
  readonly gone: Promise<void>;
  /** Resolves when a client stops the turn. */
  readonly stopped: Promise<void>;

  constructor(
    response: ServerResponse,
    content: string,
    {
      runId,
      decisions,
      stopped,
      publish,
    }: {
      runId: string;
      decisions: Map<string, PromiseWithResolvers<ApprovalDecision>>;
      stopped: Promise<void>;
      publish: (event: RunEventInput) => void;
    },
  ) {
    this.#response = response;
    this.content = content;
    this.#decisions = decisions;
    this.#runId = runId;
    this.#publish = publish;
    this.stopped = stopped;
    this.gone = new Promise((resolve) => response.once('close', () => resolve()));
  }

  event(event: RunEventInput): void {
    this.#response.write(frame({ ...event, timestamp: Date.now() }));
    this.#publish(event);
  }
  /** Ends the turn as one that a client stopped. */
  async stop(): Promise<void> {
    await this.stopped;
    this.event({ type: 'error', data: { message: 'The turn was stopped', code: 'CANCELLED' } });
  }
  begin(isAgentic = false): void {
    const task = isAgentic ? { taskId } : {};
    this.event({
      type: 'user_message',
      data: {
        id: `msg_of_${this.#runId}`,
        content: this.content,
        compactionApplied: false,
        messageCount: 1,
        ...task,
      },
    });
    this.event({
      type: 'session:start',
      data: {
        sessionId: this.#runId,
        ...task,
        provider: 'openai',
        model: 'gpt-test',
        maxSteps: 20,
        maxBudget: isAgentic ? 100_000 : null,
        timeoutMs: 180_000,
      },
    });
    this.event({ type: 'step:start', data: { step: 1, maxSteps: 20, usedTokens: 0, maxBudget: null } });
  }
  text(delta: string, step = 1): void {
    this.event({ type: 'text:delta', data: { step, delta } });
  }
  call(toolCallId: string, name: string, args: Record<string, unknown>): void {
    this.event({ type: 'tool:call', data: { toolCallId, name, arguments: args as never } });
  }
  result(toolCallId: string, content: string, success = true): void {
    this.event({ type: 'tool:result', data: { toolCallId, result: { success, content } } });
  }
  /** Asks for a decision and waits for it. */
  async ask(toolCallId: string, approval: Approval): Promise<ApprovalDecision> {
    const decision = Promise.withResolvers<ApprovalDecision>();
    this.#decisions.set(approval.id, decision);
    this.event({ type: 'approval:requested', data: { toolCallId, approval } });
    const decided = await decision.promise;
    this.event({
      type: 'approval:decided',
      data: {
        toolCallId,
        approval: { ...approval, status: decided === 'deny' ? 'denied' : 'approved', decision: decided },
      },
    });
    return decided;
  }
  /** Breaks the connection. */
  cut(): void {
    this.#response.destroy();
  }
  complete(totalTokens = 1234): void {
    const data = { totalTokens, inputTokens: 1000, outputTokens: 234, model: 'gpt-test', toolCalls: 0 };
    this.event({ type: 'complete', data: { ...data, provider: 'openai' } });
  }
}

export const approvalOf = (id: string, more: Partial<Approval> = {}): Approval => ({
  id,
  status: 'pending',
  conversationId,
  toolName: 'run_command',
  params: { command: 'rm -rf build' },
  cwd: '/home/ada/project',
  securityLevel: 'high',
  reason: 'It runs a program',
  requestedAt: at,
  expiresAt: '2026-11-21T10:10:00.000Z',
  ...more,
});

const conversation: Conversation = {
  id: conversationId,
  title: 'How queues work',
  presetId: 'assistant',
  messageCount: 2,
  createdAt: at,
  updatedAt: at,
};
/** A stored message; its content is its identity. */
export const messageOf = (role: 'user' | 'assistant', content: string): ConversationMessage => ({
  id: `msg_${role}_${content.slice(0, 20)}`,
  conversationId,
  role,
  content,
  createdAt: at,
});

/** A daemon that knows one conversation and plays what a test tells it to. */
export class ScriptedDaemon implements AsyncDisposable {
  readonly asked: AskedDaemon[] = [];
  script: Script = (run) => run.complete();
  /** Whether the caller may choose the folder of a conversation. */
  mayChooseFolder = true;
  /** What waits for a decision, in all conversations. */
  waiting: Approval[] = [];
  /** What the conversation holds, and when it changed. */
  messages = [messageOf('user', 'How do queues work?'), messageOf('assistant', 'First in, **first out**.')];
  updatedAt = at;
  /** Where it works. */
  cwd: string | undefined;
  pendingApprovals: Approval[] = [];
  /** Whether it breaks every connection, as one that is not there. */
  isAway = false;
  /** Answers a request for a summary of the conversation. */
  compact: (body: Record<string, unknown>) => Promise<{ status: number; answer: object }> = async () => ({
    status: 400,
    answer: { error: 'There is nothing to compact' },
  });
  /** The mode of the policy, where the caller may read it. */
  mode: string | undefined;
  /** Whether a provider is set up. */
  hasProvider = true;
  /** What the turns of the conversation changed in files, and what the next undo answers. */
  changes: Changes = { files: [], additions: 0, deletions: 0, truncated: false, notKept: [] };
  undo: UndoReport = { dryRun: false, restored: [], notRestored: [], notKept: [] };
  readonly #decisions = new Map<string, PromiseWithResolvers<ApprovalDecision>>();
  #runs = 0;
  #stopped = Promise.withResolvers<void>();
  readonly #followers = new Set<ServerResponse>();
  readonly #server = createServer((request, response) => {
    this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  #url = '';

  static async start(): Promise<ScriptedDaemon> {
    const daemon = new ScriptedDaemon();
    daemon.#server.listen(0, '127.0.0.1');
    await once(daemon.#server, 'listening');
    const address = daemon.#server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    daemon.#url = `http://127.0.0.1:${address.port}`;
    return daemon;
  }

  /** Publishes an event of a turn in the stream of the conversation. */
  publish(event: RunEventInput, runId: string): void {
    for (const follower of this.#followers) follower.write(frame({ ...event, timestamp: Date.now(), runId }));
  }
  /** Resolves once a client follows the conversation. */
  async followed(): Promise<void> {
    await vi.waitFor(() => expect(this.#followers.size).toBe(1), { timeout: 10_000, interval: 5 });
  }
  /** Ends the streams of all clients, as a daemon that stops. */
  dropFollowers(): void {
    for (const follower of this.#followers) follower.destroy();
  }

  get url(): string {
    return this.#url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isAway) return void request.socket.destroy();
    const { pathname } = new URL(request.url ?? '', 'http://daemon');
    const route = `${request.method ?? ''} ${pathname}`;
    const sent = await text(request);
    const body = sent === '' ? {} : (JSON.parse(sent) as Record<string, unknown>);
    this.asked.push({ route, body });
    const send = (status: number, answer: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    if (/\/messages\/(with-tools|agentic)$/.test(pathname))
      return this.#play(String(body['content']), response);
    const [, approvalId] = /^\/api\/security\/approvals\/(.+)$/.exec(pathname) ?? [];
    if (approvalId !== undefined) {
      const decision = body['decision'] as ApprovalDecision;
      this.#decisions.get(approvalId)?.resolve(decision);
      return void send(200, { approval: approvalOf(approvalId, { decision }) });
    }
    if (route === `POST /api/chat/conversations/${conversationId}/stop`) {
      this.#stopped.resolve();
      return void send(200, { message: 'Turn stopped' });
    }
    if (route === `GET /api/chat/conversations/${conversationId}/events`) {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      this.#followers.add(response);
      response.once('close', () => this.#followers.delete(response));
      return;
    }
    if (route === `POST /api/chat/conversations/${conversationId}/compact`) {
      const { status, answer } = await this.compact(body);
      return void send(status, answer);
    }
    if (route === 'POST /api/chat/conversations')
      return void (body['cwd'] !== undefined && !this.mayChooseFolder
        ? send(403, { error: 'Only an administrator may choose the folder' })
        : send(201, { conversation: { ...conversation, messageCount: 0 } }));
    const present = { ...conversation, updatedAt: this.updatedAt, ...(this.cwd && { cwd: this.cwd }) };
    const answers: Record<string, unknown> = {
      'GET /api/chat/conversations': { conversations: [present], total: 1, limit: 20, offset: 0 },
      [`GET /api/chat/conversations/${conversationId}`]: {
        conversation: present,
        messages: this.messages,
        pendingApprovals: this.pendingApprovals,
      },
      [`GET /api/chat/conversations/${conversationId}/changes`]: this.changes,
      [`POST /api/chat/conversations/${conversationId}/undo`]: this.undo,
      'GET /api/chat/providers': {
        default: this.hasProvider ? { provider: 'openai', model: 'gpt-test' } : null,
        providers: [
          { type: 'openai', name: 'OpenAI', configured: this.hasProvider, enabled: true, healthy: true },
        ],
      },
      'GET /api/chat/models': {
        models: [
          { id: 'gpt-test', provider: 'openai', name: 'GPT Test', supportsTools: true },
          { id: 'gpt-small', provider: 'openai', name: 'GPT Small', supportsTools: false },
        ],
      },
      ...(this.mode && { 'GET /api/security/policy': { defaultMode: this.mode } }),
      'GET /api/security/approvals': { approvals: this.waiting },
    };
    const answer = answers[route];
    send(answer === undefined ? 404 : 200, answer ?? { error: `There is no ${route}` });
  }

  async #play(content: string, response: ServerResponse): Promise<void> {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    this.#stopped = Promise.withResolvers();
    const runId = `run_${++this.#runs}`;
    await this.script(
      new ScriptedRun(response, content, {
        runId,
        decisions: this.#decisions,
        stopped: this.#stopped.promise,
        publish: (event) => this.publish(event, runId),
      }),
    );
    response.end();
  }
}
