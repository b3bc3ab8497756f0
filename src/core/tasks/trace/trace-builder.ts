import type { TaskTrace, TraceKind, TraceSpan } from '../../../contract/task-trace.ts';
import type { TaskEvent, TaskEventType } from '../../../contract/task.ts';
import { waits } from './waits.ts';

type Status = TraceSpan['status'];
type Attributes = TraceSpan['attributes'];
/** What a tracer reads of an event. */
export type TracedEvent = Pick<TaskEvent, 'type' | 'at' | 'message' | 'data'>;

const ends: Partial<Record<TaskEventType, Status>> = {
  completed: 'ok',
  failed: 'error',
  cancelled: 'cancelled',
};

interface Step {
  span: TraceSpan;
  usedTokens: number;
}

/** Turns the events of a task, in their order, into spans. Waits and calls are what lies between two events. */
export class TraceBuilder {
  readonly #spans: TraceSpan[] = [];
  readonly #root: TraceSpan;
  #wait: TraceSpan | undefined;
  #attempt: TraceSpan | undefined;
  #step: Step | undefined;
  #model: TraceSpan | undefined;
  #verification: TraceSpan | undefined;
  #modelAttributes: Attributes = {};
  /** Calls and approvals without an end, by the id of the call. */
  readonly #calls = new Map<string, TraceSpan>();
  readonly #approvals = new Map<string, TraceSpan>();
  /** Calls that a stop of the daemon interrupted, which the next attempt resumes. */
  #interrupted = new Map<string, TraceSpan>();

  constructor(taskId: string, createdAt: string) {
    this.#root = this.#open('task', 'task', createdAt, undefined, { 'svc.task.id': taskId });
  }

  add(event: TracedEvent): void {
    const { type, at, data } = event;
    const wait = waits[type];
    const end = ends[type];
    if (wait) this.#beginWait(wait, event);
    else if (end) this.#end(at, end, data);
    else if (type === 'started') this.#beginAttempt(at, data);
    else if (type === 'verification_started')
      this.#verification = this.#open(
        'verification',
        `verification ${numberOf(data['round'], 1)}`,
        at,
        this.#attempt,
      );
    else if (type === 'verification_finished' && this.#verification)
      close(this.#verification, at, data['status'] === 'passed' ? 'ok' : 'error');
    else if (type === 'approval_requested') this.#beginApproval(at, data);
    else if (type === 'approval_decided') this.#endApproval(at, data);
    else if (type === 'progress') this.#progress(event);
  }

  /** The spans; what is open at `now` lasts until then, and is running unless the task is finished. */
  finish(now: string, isFinished: boolean): TaskTrace['spans'] {
    for (const span of this.#spans)
      if (span.status === 'running') close(span, now, isFinished ? 'interrupted' : 'running');
    return this.#spans;
  }

  #progress({ at, data, message }: TracedEvent): void {
    const { type } = data;
    if (type === 'session:start')
      this.#modelAttributes = {
        ...text('gen_ai.provider.name', data['provider']),
        ...text('gen_ai.request.model', data['model']),
      };
    else if (type === 'step:start') this.#beginStep(at, data);
    else if (type === 'step:complete') this.#endStep(at, data);
    else if (type === 'tool:call') this.#beginCall(at, data, message);
    else if (type === 'tool:result') this.#endCall(at, data);
  }

  #beginWait({ name, status }: { name: string; status: Status }, { at, data }: TracedEvent): void {
    this.#closeAttempt(at, status, data);
    if (this.#wait) close(this.#wait, at, 'ok');
    this.#wait = this.#open('wait', name, at, this.#root);
  }

  #beginAttempt(at: string, data: TracedEvent['data']): void {
    if (this.#wait) close(this.#wait, at, 'ok');
    this.#wait = undefined;
    this.#closeAttempt(at, 'interrupted');
    const agent = textOf(data['agent'], 'agent');
    this.#attempt = this.#open('attempt', `invoke_agent ${agent}`, at, this.#root, {
      'gen_ai.agent.name': agent,
      'svc.task.attempt': numberOf(data['attempt'], 1),
    });
  }

  #beginStep(at: string, data: TracedEvent['data']): void {
    this.#closeStep(at, 'ok');
    const span = this.#open('step', `step ${numberOf(data['step'], 1)}`, at, this.#attempt);
    this.#step = { span, usedTokens: numberOf(data['usedTokens'], 0) };
    const { 'gen_ai.request.model': model = 'model' } = this.#modelAttributes;
    this.#model = this.#open('model', `chat ${model}`, at, span, { ...this.#modelAttributes });
  }

  #endStep(at: string, data: TracedEvent['data']): void {
    if (!this.#step) return;
    const { span, usedTokens } = this.#step;
    span.attributes['svc.step.tokens'] = Math.max(0, numberOf(data['usedTokens'], usedTokens) - usedTokens);
    this.#closeStep(at, 'ok');
  }

  #beginCall(at: string, data: TracedEvent['data'], summary: string): void {
    if (this.#model) close(this.#model, at, 'ok');
    this.#model = undefined;
    const name = textOf(data['name'], 'tool');
    const id = textOf(data['toolCallId'], '');
    const span = this.#open('tool', `execute_tool ${name}`, at, this.#step?.span ?? this.#attempt, {
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      ...(summary !== '' && { 'svc.tool.summary': summary }),
    });
    this.#calls.set(id, span);
  }

  #endCall(at: string, data: TracedEvent['data']): void {
    const id = textOf(data['toolCallId'], '');
    const span = this.#callOf(id);
    if (!span) return;
    const { success, refused } = (data['result'] ?? {}) as { success?: boolean; refused?: boolean };
    if (refused) span.attributes['svc.tool.refused'] = true;
    this.#calls.delete(id);
    close(span, at, success === false ? 'error' : 'ok');
    // The calls of a step run one after the other; those of an agent's program begin when it reports them.
    if (this.#step) for (const next of this.#calls.values()) next.startedAt = at;
  }

  #beginApproval(at: string, data: TracedEvent['data']): void {
    const id = textOf(data['toolCallId'], '');
    const parent = this.#callOf(id) ?? this.#attempt;
    this.#approvals.set(
      id,
      this.#open('approval', 'approval', at, parent, text('gen_ai.tool.name', data['toolName'])),
    );
  }

  #endApproval(at: string, data: TracedEvent['data']): void {
    const id = textOf(data['toolCallId'], '');
    const span =
      this.#approvals.get(id) ??
      this.#open('approval', 'approval', this.#attempt?.startedAt ?? at, this.#callOf(id) ?? this.#attempt);
    this.#approvals.delete(id);
    Object.assign(span.attributes, text('svc.approval.status', data['status']));
    close(span, at, data['status'] === 'approved' ? 'ok' : 'error');
  }

  /** The open call; one that an earlier attempt left is continued by this one. */
  #callOf(id: string): TraceSpan | undefined {
    const known = this.#calls.get(id);
    const left = this.#interrupted.get(id);
    if (known || !left || !this.#attempt) return known;
    const span = this.#open('tool', left.name, this.#attempt.startedAt, this.#attempt, left.attributes);
    this.#interrupted.delete(id);
    this.#calls.set(id, span);
    return span;
  }

  #closeStep(at: string, status: Status): void {
    if (this.#model) close(this.#model, at, status);
    if (this.#step) close(this.#step.span, at, status);
    this.#model = undefined;
    this.#step = undefined;
  }

  #closeAttempt(at: string, status: Status, data: TracedEvent['data'] = {}): void {
    if (!this.#attempt) return;
    const left = status === 'ok' || status === 'error' ? 'interrupted' : status;
    this.#closeStep(at, status === 'error' ? 'error' : left);
    for (const span of [...this.#approvals.values(), ...this.#calls.values()]) close(span, at, left);
    if (this.#verification) close(this.#verification, at, left);
    this.#interrupted = new Map(this.#calls);
    this.#calls.clear();
    this.#approvals.clear();
    this.#verification = undefined;
    Object.assign(this.#attempt.attributes, text('error.type', data['class']));
    close(this.#attempt, at, status);
    this.#attempt = undefined;
  }

  #end(at: string, status: Status, data: TracedEvent['data']): void {
    this.#closeAttempt(at, status, data);
    if (this.#wait) close(this.#wait, at, status === 'ok' ? 'ok' : status);
    this.#wait = undefined;
    Object.assign(this.#root.attributes, text('error.type', data['class']));
    close(this.#root, at, status);
  }

  #open(
    kind: TraceKind,
    name: string,
    startedAt: string,
    parent: TraceSpan | undefined,
    attributes: Attributes = {},
  ): TraceSpan {
    const span: TraceSpan = {
      id: String(this.#spans.length + 1),
      ...(parent && { parent: parent.id }),
      name,
      kind,
      startedAt,
      durationMs: 0,
      status: 'running',
      attributes,
    };
    this.#spans.push(span);
    return span;
  }
}

function close(span: TraceSpan, at: string, status: Status): void {
  if (span.status !== 'running') return;
  span.status = status;
  // The clock may have been set back in between.
  span.durationMs = Math.max(0, Date.parse(at) - Date.parse(span.startedAt));
}

const numberOf = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
const textOf = (value: unknown, fallback: string): string => (typeof value === 'string' ? value : fallback);
const text = (name: string, value: unknown): Attributes =>
  typeof value === 'string' && value !== '' ? { [name]: value } : {};
