import type { RunEventInput } from '../../../contract/run-events.ts';
import type { RunningEvent } from '../../agents/agent-adapter.ts';
import { TextBatcher } from '../../text/text-batcher.ts';

/** Characters of one result that an event of the task keeps; the message of the conversation has all of it. */
const MAX_RESULT = 16_384;

/** Keeps the events of a run as events of its task, with text that comes in small pieces put together. */
export class RunEventRecord {
  readonly #emit: (event: RunningEvent) => void;
  readonly #text: TextBatcher;
  readonly #thoughts: TextBatcher;
  #step = 0;

  constructor(emit: (event: RunningEvent) => void) {
    this.#emit = emit;
    this.#text = new TextBatcher((text) =>
      emit({ type: 'output', message: text, data: { stream: 'text', step: this.#step } }),
    );
    this.#thoughts = new TextBatcher((text) =>
      emit({ type: 'progress', message: '', data: { type: 'thinking:update', step: this.#step, text } }),
    );
  }

  add(event: RunEventInput): void {
    if (event.type === 'text:delta') {
      this.#step = event.data.step;
      return this.#text.push(event.data.delta);
    }
    if (event.type === 'thinking:update') {
      this.#step = event.data.step;
      return this.#thoughts.push(event.data.text);
    }
    this.flush();
    this.#emit(toRunningEvent(event));
  }

  flush(): void {
    this.#thoughts.flush();
    this.#text.flush();
  }
}

function toRunningEvent(event: RunEventInput): RunningEvent {
  if (event.type === 'approval:requested' || event.type === 'approval:decided') {
    const { approval, toolCallId } = event.data;
    const { id, toolName, params, cwd, reason, expiresAt, securityLevel, decision, status } = approval;
    return event.type === 'approval:requested'
      ? {
          type: 'approval_requested',
          message: `Approval needed: ${toolName}. ${reason}`,
          data: { approvalId: id, toolCallId, toolName, params, cwd, reason, expiresAt, securityLevel },
        }
      : {
          type: 'approval_decided',
          message: `Approval of ${toolName}: ${decision ?? status}`,
          data: { approvalId: id, toolCallId, toolName, status, ...(decision && { decision }) },
        };
  }
  const data = event.type === 'tool:result' ? cutResult(event.data) : event.data;
  return {
    type: 'progress',
    message: messageOf(event),
    data: { ...(data as unknown as RunningEvent['data']), type: event.type },
  };
}

function cutResult(data: Extract<RunEventInput, { type: 'tool:result' }>['data']) {
  const { success, content } = data.result;
  if (content.length <= MAX_RESULT) return data;
  return { ...data, result: { success, content: `${content.slice(0, MAX_RESULT)}…`, isCut: true } };
}

/** One line for a person; empty where there is nothing to say. */
function messageOf(event: RunEventInput): string {
  const { type, data } = event;
  if (type === 'session:start') return `${data.model} begins`;
  if (type === 'step:start') return `Step ${data.step}`;
  if (type === 'tool:call') return `${data.name} ${shortly(data.arguments)}`.trim();
  if (type === 'tool:result') return data.result.success ? 'ok' : `failed: ${oneLine(data.result.content)}`;
  if (type === 'compaction') return 'Older steps were summed up';
  if (type === 'error') return data.message;
  if (type === 'summary') return oneLine(data.summary);
  return type === 'thinking:start' ? 'Thinking' : '';
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);

/** The first argument says most: a path, a command, a question. */
function shortly(args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const [first] = Object.values(args);
  return oneLine(typeof first === 'string' ? first : first === undefined ? '' : JSON.stringify(first));
}
