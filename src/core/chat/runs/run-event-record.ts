import type { RunEventInput } from '../../../contract/run-events.ts';
import { carriedBy } from '../../../contract/task-run-events.ts';
import type { RunningEvent } from '../../agents/agent-adapter.ts';
import { TextBatcher } from '../../text/text-batcher.ts';
import { describeRunEvent } from './describe-run-event.ts';

/** Characters of a tool result that a task event stores; the message of the conversation has the full text. */
const MAX_RESULT = 16_384;

/** Records the events of a run as events of its task, with small pieces of text batched. */
export class RunEventRecord {
  readonly #emit: (event: RunningEvent) => void;
  readonly #text: TextBatcher;
  readonly #thoughts: TextBatcher;
  #step = 0;

  constructor(emit: (event: RunningEvent) => void) {
    this.#emit = emit;
    this.#text = new TextBatcher((delta) =>
      emit(toTaskEvent({ type: 'text:delta', data: { step: this.#step, delta } })),
    );
    this.#thoughts = new TextBatcher((text) =>
      emit(toTaskEvent({ type: 'thinking:update', data: { step: this.#step, text } })),
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
    this.#emit(toTaskEvent(event));
  }

  flush(): void {
    this.#thoughts.flush();
    this.#text.flush();
  }
}

/** The task event of a run event; `data` also has the fields that clients of earlier versions read. */
const toTaskEvent = (event: RunEventInput): RunningEvent => ({
  type: (carriedBy[event.type] ?? 'progress') as RunningEvent['type'],
  message: describeRunEvent(event),
  data: { ...earlierFields(event), ...payloadOf(event), type: event.type },
});

function payloadOf({ type, data }: RunEventInput): object {
  if (type !== 'tool:result') return data;
  const { content } = data.result;
  if (content.length <= MAX_RESULT) return data;
  return { ...data, result: { ...data.result, content: `${content.slice(0, MAX_RESULT)}…`, isCut: true } };
}

function earlierFields({ type, data }: RunEventInput): object {
  if (type === 'text:delta') return { stream: 'text' };
  if (type !== 'approval:requested' && type !== 'approval:decided') return {};
  const { id: approvalId, toolName, params, cwd, reason, expiresAt, securityLevel } = data.approval;
  const { decision, status } = data.approval;
  return type === 'approval:requested'
    ? { approvalId, toolName, params, cwd, reason, expiresAt, securityLevel }
    : { approvalId, toolName, status, ...(decision && { decision }) };
}
