import { setImmediate } from 'node:timers/promises';
import { createAcpDriver } from '../../../src/core/agents/drivers/acp/acp-driver.ts';
import type {
  AgentCall,
  AgentDriver,
  AgentUsage,
  PermissionAnswer,
  PermissionQuestion,
  SessionOrder,
} from '../../../src/core/agents/drivers/driver.ts';

interface Sent {
  id?: number | string;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string };
}

export const order: SessionOrder = { cwd: '/work', mcpServers: [], isSandboxed: false };

/** An error in place of a result. */
export class Refusal {
  readonly error: object;
  constructor(error: object) {
    this.error = error;
  }
}

/** The driver of the Agent Client Protocol, and an agent in memory that it talks to. */
export class AcpAgent {
  readonly sent: Sent[] = [];
  readonly driver: AgentDriver;
  readonly calls: AgentCall[] = [];
  readonly questions: PermissionQuestion[] = [];
  readonly notes: string[] = [];
  readonly sessions: string[] = [];
  text = '';
  steps = 0;
  usage: AgentUsage | undefined;
  decide: (question: PermissionQuestion) => Promise<PermissionAnswer> = () =>
    Promise.resolve({ decision: 'allow' });
  /** The results by method; a request without one waits for `respond`. */
  readonly #results: Record<string, unknown>;

  constructor(results: Record<string, unknown> = {}) {
    this.#results = {
      initialize: { protocolVersion: 1, agentCapabilities: {} },
      'session/new': { sessionId: 's1' },
      'session/set_mode': {},
      ...results,
    };
    this.driver = createAcpDriver((message) => this.#take(message), {
      onSession: (id) => this.sessions.push(id),
      onText: (delta) => (this.text += delta),
      onThinking: () => undefined,
      onCall: (call) => {
        if (!this.calls.includes(call)) this.calls.push(call);
      },
      onPlan: () => undefined,
      onUsage: (usage) => (this.usage = usage),
      onStep: () => this.steps++,
      onNote: (note) => this.notes.push(note),
      ask: (question) => {
        this.questions.push(question);
        return this.decide(question);
      },
    });
  }

  /** Sends a message to the driver and waits until it has dealt with it. */
  async say(message: object): Promise<void> {
    this.driver.receive(JSON.stringify({ jsonrpc: '2.0', ...message }));
    await setImmediate();
  }

  update(sessionUpdate: string, fields: object): Promise<void> {
    return this.say({
      method: 'session/update',
      params: { sessionId: 's1', update: { sessionUpdate, ...fields } },
    });
  }

  message(text: string): Promise<void> {
    return this.update('agent_message_chunk', { content: { type: 'text', text } });
  }

  /** Asks for a permission; options are named after their kinds. */
  ask(
    id: number,
    toolCall: object,
    kinds: readonly string[] = ['allow_always', 'allow_once', 'reject_once'],
  ) {
    const options = kinds.map((kind) => ({ optionId: `the ${kind}`, kind, name: kind }));
    return this.say({
      id,
      method: 'session/request_permission',
      params: { sessionId: 's1', toolCall, options },
    });
  }

  /** Answers the latest request of a method. */
  respond(method: string, result: unknown): Promise<void> {
    const id = this.sent.findLast((message) => message.method === method)?.id;
    return this.say({ id, ...(result instanceof Refusal ? { error: result.error } : { result }) });
  }

  /** What the driver answered to a request of the agent. */
  answerTo(id: number): Sent | undefined {
    return this.sent.find((message) => message.id === id && message.method === undefined);
  }

  /** The methods that the driver called or notified, in order. */
  get methods(): string[] {
    return this.sent.flatMap(({ method }) => method ?? []);
  }

  #take(message: Sent): void {
    this.sent.push(structuredClone(message));
    const { method } = message;
    if (method !== undefined && Object.hasOwn(this.#results, method))
      queueMicrotask(() => void this.respond(method, this.#results[method]));
  }
}
