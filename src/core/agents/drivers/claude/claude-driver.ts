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
import { ClaudeCalls } from './claude-calls.ts';
import {
  failureOfExit,
  failureOfResult,
  initializationFailed,
  resetTime,
  turnInProgress,
} from './claude-failure.ts';
import {
  amount,
  controlRequest,
  type Fields,
  fields,
  fieldsList,
  idOf,
  readLine,
  text,
  userMessage,
} from './claude-messages.ts';
import { ClaudePlan } from './claude-plan.ts';
import { ClaudeQuestions } from './claude-questions.ts';
import { ClaudeTurn } from './claude-turn.ts';
import { ClaudeUsage } from './claude-usage.ts';
import { StreamedText } from './streamed-text.ts';

type Opened = Awaited<ReturnType<AgentDriver['open']>>;

/** The CLI says errors of its own in the name of this model. */
const SYNTHETIC = '<synthetic>';
/** So many lines are remembered: one that comes again comes soon. */
const MOST_SEEN = 1000;

/** Speaks the stream-json control protocol of Claude Code, as `claudeArgv` starts it. */
export const createClaudeDriver: CreateDriver = (send, listener) => new ClaudeDriver(send, listener);

class ClaudeDriver implements AgentDriver {
  readonly #send: (message: object) => void;
  readonly #listener: DriverListener;
  readonly #calls: ClaudeCalls;
  readonly #questions: ClaudeQuestions;
  readonly #plan = new ClaudePlan();
  readonly #usage = new ClaudeUsage();
  readonly #text: StreamedText;
  readonly #thinking: StreamedText;
  #turn: ClaudeTurn | undefined;
  #opening: { id: string; resolve: (opened: Opened) => void } | undefined;
  #exit: DriverFailure | undefined;
  #cwd = '.';
  #sessionId = '';
  #messageId = '';
  #requests = 0;
  /** The ids of the latest lines. */
  readonly #seen = new Set<string>();

  constructor(send: (message: object) => void, listener: DriverListener) {
    this.#send = send;
    this.#listener = listener;
    this.#text = new StreamedText((delta) => listener.onText(delta));
    this.#thinking = new StreamedText((delta) => listener.onThinking(delta));
    this.#calls = new ClaudeCalls((call) => listener.onCall(call));
    this.#questions = new ClaudeQuestions({
      calls: this.#calls,
      cwd: () => this.#cwd,
      send,
      ask: (question) => listener.ask(question),
      onRefusal: (callId, decision) => {
        this.#turn?.deny(callId);
        if (decision === 'cancelled') this.cancel();
      },
    });
  }

  open(order: SessionOrder): Promise<Opened> {
    if (this.#exit) return Promise.resolve({ failure: this.#exit });
    this.#cwd = order.cwd;
    const id = this.#nextId();
    const opened = new Promise<Opened>((resolve) => (this.#opening = { id, resolve }));
    this.#send(controlRequest(id, 'initialize'));
    return opened;
  }

  prompt(prompt: string, images: readonly PromptImage[] = []): Promise<TurnEnd> {
    const failure = this.#exit ?? (this.#turn && turnInProgress);
    if (failure) return Promise.resolve({ outcome: 'failed', text: '', failure });
    const turn = new ClaudeTurn();
    this.#turn = turn;
    this.#send(userMessage(prompt, images, this.#sessionId));
    return turn.end;
  }

  cancel(): void {
    if (this.#exit || !this.#turn || this.#turn.isCancelled) return;
    this.#turn.isCancelled = true;
    this.#questions.cancelAll();
    this.#send(controlRequest(this.#nextId(), 'interrupt'));
  }

  close(exit: AgentExit, detail: string): void {
    if (this.#exit) return;
    this.#exit = failureOfExit(exit, detail);
    this.#questions.clear();
    this.#opened({ failure: this.#exit });
    this.#turn?.close(exit, detail, this.#text.open);
    this.#turn = undefined;
  }

  receive(line: string): void {
    const message = readLine(line);
    if (!message || this.#exit || this.#isRepeated(message['uuid'])) return;
    const type = message['type'];
    // A result also names the session that was not found.
    if (type !== 'result') this.#nameSession(text(message['session_id']));
    if (type === 'stream_event') this.#onStreamEvent(message);
    else if (type === 'assistant') this.#onAssistant(message);
    else if (type === 'user') this.#onUser(message);
    else if (type === 'control_request') this.#onRequest(message);
    else if (type === 'control_cancel_request') this.#questions.withdraw(message['request_id']);
    else if (type === 'control_response') this.#onResponse(fields(message['response']) ?? {});
    else if (type === 'rate_limit_event') this.#onLimit(fields(message['rate_limit_info']) ?? {});
    else if (type === 'system') this.#onSystem(message);
    else if (type === 'result') this.#onResult(message);
  }

  /** Each line has an id of its own: one that comes again would double the answer and the tokens. */
  #isRepeated(uuid: unknown): boolean {
    if (typeof uuid !== 'string') return false;
    if (this.#seen.has(uuid)) return true;
    this.#seen.add(uuid);
    const [oldest] = this.#seen;
    if (this.#seen.size > MOST_SEEN && oldest !== undefined) this.#seen.delete(oldest);
    return false;
  }

  #onStreamEvent(message: Fields): void {
    const event = fields(message['event']) ?? {};
    const begun = fields(event['message']);
    const isMain = !message['parent_tool_use_id'];
    if (event['type'] === 'message_start' && begun) {
      const id = text(begun['id']) ?? '';
      if (isMain) {
        this.#messageId = id;
        this.#text.begin();
        this.#thinking.begin();
      }
      this.#countCall(id, begun['usage']);
    } else if (event['type'] === 'message_delta')
      this.#countCall(text(message['api_message_id']) ?? (isMain ? this.#messageId : ''), event['usage']);
    const delta = isMain && event['type'] === 'content_block_delta' ? fields(event['delta']) : undefined;
    const [said, thought] = [text(delta?.['text']), text(delta?.['thinking'])];
    if (delta?.['type'] === 'text_delta' && said !== undefined) this.#text.delta(said);
    if (delta?.['type'] === 'thinking_delta' && thought !== undefined) this.#thinking.delta(thought);
  }

  #onAssistant(line: Fields): void {
    const message = fields(line['message']) ?? {};
    const isMain = !line['parent_tool_use_id'];
    const isModel = message['model'] !== SYNTHETIC;
    if (isMain && this.#turn) this.#turn.trouble.apiError = text(line['error']);
    for (const part of fieldsList(message['content'])) {
      const [said, thought] = [text(part['text']), text(part['thinking'])];
      if (part['type'] === 'text' && said !== undefined && isMain) {
        this.#text.whole(said);
        this.#turn?.say(said, isModel);
      }
      if (part['type'] === 'thinking' && thought !== undefined && isMain) this.#thinking.whole(thought);
      const [id, name] = [idOf(part['id']), text(part['name'])];
      if (part['type'] === 'tool_use' && id !== undefined && name !== undefined)
        this.#calls.describe(id, name, fields(part['input']));
    }
    if (isModel) this.#countCall(text(message['id']) ?? '', message['usage']);
  }

  #onUser(line: Fields): void {
    const results = fieldsList(fields(line['message'])?.['content']).filter(
      (part) => part['type'] === 'tool_result',
    );
    // The CLI's own record belongs to the one result of the line.
    const detail = results.length === 1 ? line['tool_use_result'] : undefined;
    for (const part of results) {
      const call = this.#calls.finish(part, detail);
      if (!call) continue;
      this.#turn?.finishCall(call);
      const entries =
        call.status === 'completed' && !line['parent_tool_use_id']
          ? this.#plan.change(call, detail)
          : undefined;
      if (entries) this.#listener.onPlan(entries);
    }
  }

  #onRequest(message: Fields): void {
    const id = message['request_id'];
    if (typeof id !== 'string' && typeof id !== 'number') return;
    this.#questions.receive(id, fields(message['request']) ?? {}, this.#turn);
  }

  #onResponse(response: Fields): void {
    if (!this.#opening || response['request_id'] !== this.#opening.id) return;
    this.#opened(
      response['subtype'] === 'success'
        ? { sessionId: this.#sessionId || undefined }
        : { failure: initializationFailed(text(response['error']) ?? '') },
    );
  }

  #onLimit(info: Fields): void {
    const status = text(info['status']);
    const resetsAt = resetTime(info['resetsAt']);
    if (status === 'rejected' && this.#turn) this.#turn.trouble.limit = { resetsAt };
    if (status === 'allowed_warning') this.#listener.onNote('Claude Code is close to its usage limit.');
  }

  #onSystem(message: Fields): void {
    if (message['subtype'] === 'api_retry') {
      const status = amount(message['error_status']);
      const [attempt, max] = [amount(message['attempt']) ?? 1, amount(message['max_retries'])];
      const why = status === undefined ? 'failed' : `failed with status ${status}`;
      const count = max === undefined ? `retry ${attempt}` : `retry ${attempt} of ${max}`;
      this.#listener.onNote(`A model call of Claude Code ${why}: ${count}.`);
    } else if (message['subtype'] === 'informational') {
      const content = text(message['content']);
      if (content !== undefined) this.#listener.onNote(content);
    } else if (message['subtype'] === 'compact_boundary')
      this.#listener.onNote('Claude Code shortened the history of its session.');
  }

  #onResult(result: Fields): void {
    this.#usage.finish(result);
    this.#listener.onUsage(this.#usage.total());
    const failure = this.#opening && failureOfResult(result, {});
    if (failure) this.#opened({ failure });
    const turn = this.#turn;
    this.#turn = undefined;
    if (!turn) return;
    this.#questions.denyAll();
    // The line with the whole answer was lost; a failure says there what went wrong.
    const answer = this.#text.open || (result['is_error'] === true ? undefined : text(result['result']));
    if (turn.isSilent && answer !== undefined) {
      this.#text.whole(answer);
      turn.say(answer, true);
    }
    turn.finish(result);
  }

  #countCall(id: string, usage: unknown): void {
    if (id === '') return;
    if (this.#usage.call(id, usage)) this.#listener.onStep();
    this.#listener.onUsage(this.#usage.total());
  }

  #nameSession(id: string | undefined): void {
    if (id === undefined || id === this.#sessionId) return;
    this.#sessionId = id;
    this.#listener.onSession(id);
  }

  #opened(opened: Opened): void {
    this.#opening?.resolve(opened);
    this.#opening = undefined;
  }

  #nextId(): string {
    return `svc-${++this.#requests}`;
  }
}
