import type { ChatCompletionRequest } from '../../contract/openai/chat-completions.ts';
import type { AppError } from '../errors.ts';
import type { AnswerEnd } from '../providers/answer-end.ts';
import type { AnswerPart } from '../providers/resolved-model.ts';
import { toFinishReason, toUsage } from './answer-fields.ts';
import { CallDeltas, type CallStep } from './call-deltas.ts';
import type { AnswerHead } from './chat-answer.ts';
import { toOpenAiError } from './to-openai-error.ts';
import type { Frames } from './write-frames.ts';

/** Makes the server-sent events of a streamed chat completion. */
export class ChatFrames implements Frames {
  readonly #calls: CallDeltas;
  readonly #includesUsage: boolean;
  /** Everything of an event before and after its delta: nearly all events differ in that alone. */
  readonly #before: string;
  readonly #after: string;
  #isFirst = true;
  /** What is in no event yet. */
  #text = '';
  #thoughts = '';

  constructor({ id, created, model }: AnswerHead, request: ChatCompletionRequest) {
    const includesUsage = request.stream_options?.include_usage === true;
    this.#calls = new CallDeltas((request.tools ?? []).map((tool) => tool.function.name));
    this.#includesUsage = includesUsage;
    const head = JSON.stringify({ id, object: 'chat.completion.chunk', created, model });
    this.#before = `data: ${head.slice(0, -1)},"choices":[`;
    this.#after = `]${includesUsage ? ',"usage":null' : ''}}\n\n`;
  }

  /** The events of parts that arrived together; neighbours of one kind share one. */
  frames(parts: readonly AnswerPart[]): string {
    let frames = '';
    for (const part of parts) {
      if (part.type === 'text-delta') this.#text += part.delta;
      else if (part.type === 'reasoning-delta') {
        if (this.#text !== '') frames += this.#said();
        this.#thoughts += part.delta;
      } else for (const step of this.#calls.take(part)) frames += this.#said() + this.#step(step);
    }
    return frames + this.#said();
  }

  /** The events that end the answer. */
  end(end: AnswerEnd): string {
    const reason = toFinishReason(end, this.#calls.hasCalls);
    const last = `${this.#first()}${this.#choice('', `"${reason}"`)}`;
    const usage = this.#includesUsage ? toUsage(end) : undefined;
    const counted = usage ? `${this.#before}],"usage":${JSON.stringify(usage)}}\n\n` : '';
    return `${last}${counted}data: [DONE]\n\n`;
  }

  fail(error: AppError): string {
    return `data: ${JSON.stringify({ error: toOpenAiError(error).error })}\n\n`;
  }

  #step(step: CallStep): string {
    if (step.kind === 'start') {
      const { index, id, name } = step;
      const call = { index, id, type: 'function', function: { name, arguments: '' } };
      return this.#delta(`"tool_calls":[${JSON.stringify(call)}]`);
    }
    if (step.kind === 'arguments') {
      const call = { index: step.index, function: { arguments: step.delta } };
      return this.#delta(`"tool_calls":[${JSON.stringify(call)}]`);
    }
    const { extra_content: extra } = step.call;
    if (!extra) return '';
    return this.#delta(`"tool_calls":[${JSON.stringify({ index: step.index, extra_content: extra })}]`);
  }

  /** The events of what was said since the last ones. */
  #said(): string {
    const thoughts = this.#thoughts;
    const text = this.#text;
    this.#text = this.#thoughts = '';
    const thought = thoughts === '' ? '' : this.#delta(`"reasoning_content":${JSON.stringify(thoughts)}`);
    return text === '' ? thought : `${thought}${this.#delta(`"content":${JSON.stringify(text)}`)}`;
  }

  #delta(field: string): string {
    return `${this.#first()}${this.#choice(field, 'null')}`;
  }

  /** The event that begins an answer, once. */
  #first(): string {
    if (!this.#isFirst) return '';
    this.#isFirst = false;
    return this.#choice('"role":"assistant","content":"","refusal":null', 'null');
  }

  #choice(delta: string, reason: string): string {
    return `${this.#before}{"index":0,"delta":{${delta}},"logprobs":null,"finish_reason":${reason}}${this.#after}`;
  }
}
