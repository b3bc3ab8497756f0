import type { PermissionAnswer, PermissionQuestion } from '../driver.ts';
import { proposedDiff } from './claude-diff.ts';
import type { ClaudeCalls } from './claude-calls.ts';
import {
  errorResponse,
  type Fields,
  fields,
  idOf,
  permissionResponse,
  type RequestId,
  text,
} from './claude-messages.ts';
import { mcpOf } from '../mcp-name.ts';
import { pathsOf } from './claude-tools.ts';

interface QuestionsDeps {
  calls: ClaudeCalls;
  cwd: () => string;
  send: (message: object) => void;
  ask: (question: PermissionQuestion) => Promise<PermissionAnswer>;
  /** An answer that did not allow its call was sent. */
  onRefusal: (callId: string, decision: 'deny' | 'cancelled') => void;
}

const turnIsOver: PermissionAnswer = { decision: 'deny', reason: 'The turn is over.' };

interface OpenQuestion {
  id: RequestId;
  callId: string;
  input: Fields;
}

/** The permission questions of the CLI that wait for an answer. Each gets one answer at most, and none once it is withdrawn. */
export class ClaudeQuestions {
  readonly #open = new Map<RequestId, OpenQuestion>();
  readonly #deps: QuestionsDeps;

  constructor(deps: QuestionsDeps) {
    this.#deps = deps;
  }

  /** Takes a request of the CLI. Outside of a turn, and while one is being cancelled, nobody is asked. */
  receive(id: RequestId, request: Fields, turn: { isCancelled: boolean } | undefined): void {
    if (this.#open.has(id)) return;
    if (request['subtype'] !== 'can_use_tool') {
      // Without an answer the CLI would wait for ever.
      this.#deps.send(errorResponse(id, 'This request is not supported.'));
      return;
    }
    const name = text(request['tool_name']);
    const input = fields(request['input']);
    const callId = idOf(request['tool_use_id']) ?? String(id);
    const open: OpenQuestion = { id, callId, input: input ?? {} };
    this.#open.set(id, open);
    if (turn?.isCancelled) this.#answer(open, { decision: 'cancelled' });
    else if (!turn) this.#answer(open, turnIsOver);
    else if (name === undefined || !input)
      this.#answer(open, { decision: 'deny', reason: 'The arguments of this call could not be read.' });
    else void this.#ask(open, this.#questionOf(callId, name, input));
  }

  /** The CLI no longer wants to know. */
  withdraw(id: unknown): void {
    this.#open.delete(id as RequestId);
  }

  /** The turn is over: what is not decided yet does not run. */
  denyAll(): void {
    for (const open of this.#open.values()) this.#answer(open, turnIsOver);
  }

  cancelAll(): void {
    for (const open of this.#open.values()) this.#answer(open, { decision: 'cancelled' });
  }

  clear(): void {
    this.#open.clear();
  }

  async #ask(open: OpenQuestion, question: PermissionQuestion): Promise<void> {
    try {
      this.#answer(open, await this.#deps.ask(question));
    } catch {
      // A call that could not be decided, or whose permission could not be sent, does not run.
      this.#answer(open, { decision: 'deny', reason: 'This call could not be decided.' });
    }
  }

  #answer(open: OpenQuestion, answer: PermissionAnswer): void {
    // Another question may have the id of one that was withdrawn: a decision holds for its own only.
    if (this.#open.get(open.id) !== open) return;
    this.#deps.send(permissionResponse(open.id, answer, open.input));
    this.#open.delete(open.id);
    if (answer.decision !== 'allow') this.#deps.onRefusal(open.callId, answer.decision);
  }

  #questionOf(callId: string, name: string, input: Fields): PermissionQuestion {
    const call = this.#deps.calls.describe(callId, name, input);
    const command = call.kind === 'shell' ? text(input['command']) : undefined;
    const paths = pathsOf(name, input, this.#deps.cwd());
    const mcp = mcpOf(name);
    const diff = proposedDiff(name, input);
    const isKnown =
      call.kind === 'shell' ? command !== undefined : (call.kind !== 'edit' && call.kind !== 'read') || paths;
    return {
      call: diff ? { ...call, diff: [diff] } : call,
      // Tool and input side by side: an input can hold any key.
      bound: { tool: name, input },
      // The CLI's shell keeps the directory that the last command went to, and names it nowhere.
      ...(command !== undefined && { command: { text: command } }),
      ...(paths && { paths }),
      ...(mcp && { mcp }),
      isExact: Boolean(isKnown),
    };
  }
}
