import type { OpenAiResponse, ResponseOutputItem, ResponseRequest } from '../../contract/openai/responses.ts';
import type { AppError } from '../errors.ts';
import type { AnswerEnd } from '../providers/answer-end.ts';
import type { AnswerPart } from '../providers/resolved-model.ts';
import { CallDeltas, type CallStep } from './call-deltas.ts';
import type { AnswerHead } from './chat-answer.ts';
import {
  type CallItem,
  callItem,
  type MessageItem,
  messageItem,
  outputText,
  toEndedResponse,
  toOpenResponse,
} from './response-answer.ts';
import { toOpenAiError } from './to-openai-error.ts';
import type { Frames } from './write-frames.ts';

/** Makes the server-sent events of a streamed response, each with its name and a rising number. */
export class ResponseFrames implements Frames {
  readonly #response: OpenAiResponse;
  readonly #newId: (prefix: string) => string;
  readonly #calls: CallDeltas;
  readonly #output: ResponseOutputItem[] = [];
  /** The message that the model is writing, and its text so far. */
  #message: { index: number; item: MessageItem; text: string } | undefined;
  /** The calls that have begun, by their index among the calls. */
  readonly #open = new Map<number, { index: number; item: CallItem }>();
  #sequence = 0;

  constructor(head: AnswerHead, request: ResponseRequest, newId: (prefix: string) => string) {
    this.#response = toOpenResponse(head, request);
    this.#calls = new CallDeltas((request.tools ?? []).map(({ name }) => name));
    this.#newId = newId;
  }

  begin(): string {
    const response = this.#response;
    return this.#event('response.created', { response }) + this.#event('response.in_progress', { response });
  }

  frames(parts: readonly AnswerPart[]): string {
    let frames = '';
    let text = '';
    for (const part of parts) {
      if (part.type === 'text-delta') {
        text += part.delta;
        continue;
      }
      const steps = this.#calls.take(part);
      if (steps.length === 0) continue;
      frames += this.#text(text) + this.#endMessage();
      text = '';
      for (const step of steps) frames += this.#step(step);
    }
    return frames + this.#text(text);
  }

  end(end: AnswerEnd): string {
    const isSilent = this.#output.length === 0;
    const last = isSilent ? this.#beginMessage() + this.#endMessage() : this.#endMessage();
    const response = toEndedResponse(this.#response, end, this.#output);
    return last + this.#event(`response.${response.status}`, { response });
  }

  fail(error: AppError): string {
    const { code, message } = toOpenAiError(error).error;
    if (this.#message) {
      const { index, item, text } = this.#message;
      this.#output[index] = { ...messageItem(item.id, text), status: 'incomplete' };
    }
    const response: OpenAiResponse = {
      ...this.#response,
      status: 'failed',
      output: this.#output,
      error: { code: code ?? 'server_error', message },
    };
    return this.#event('response.failed', { response });
  }

  #text(delta: string): string {
    if (delta === '') return '';
    const begun = this.#message ? '' : this.#beginMessage();
    const message = this.#message;
    if (!message) return begun;
    message.text += delta;
    const { index: output_index, item } = message;
    return (
      begun +
      this.#event('response.output_text.delta', {
        item_id: item.id,
        output_index,
        content_index: 0,
        delta,
        logprobs: [],
      })
    );
  }

  #beginMessage(): string {
    const item = messageItem(this.#newId('msg'), '');
    const index = this.#output.push(item) - 1;
    this.#message = { index, item, text: '' };
    const at = { item_id: item.id, output_index: index, content_index: 0 };
    return (
      this.#event('response.output_item.added', {
        output_index: index,
        item: { ...item, status: 'in_progress', content: [] },
      }) + this.#event('response.content_part.added', { ...at, part: outputText('') })
    );
  }

  #endMessage(): string {
    const message = this.#message;
    if (!message) return '';
    this.#message = undefined;
    const { index, text } = message;
    const item = messageItem(message.item.id, text);
    this.#output[index] = item;
    const at = { item_id: item.id, output_index: index, content_index: 0 };
    return (
      this.#event('response.output_text.done', { ...at, text, logprobs: [] }) +
      this.#event('response.content_part.done', { ...at, part: outputText(text) }) +
      this.#event('response.output_item.done', { output_index: index, item })
    );
  }

  #step(step: CallStep): string {
    if (step.kind === 'start') {
      const item = callItem(this.#newId('fc'), step.id, { name: step.name, arguments: '' });
      const index = this.#output.push(item) - 1;
      this.#open.set(step.index, { index, item });
      return this.#event('response.output_item.added', {
        output_index: index,
        item: { ...item, status: 'in_progress' },
      });
    }
    const call = this.#open.get(step.index);
    if (!call) return '';
    const at = { item_id: call.item.id, output_index: call.index };
    if (step.kind === 'arguments')
      return this.#event('response.function_call_arguments.delta', { ...at, delta: step.delta });
    const { name, arguments: json } = step.call.function;
    const item = { ...call.item, arguments: json };
    this.#output[call.index] = item;
    return (
      this.#event('response.function_call_arguments.done', { ...at, name, arguments: json }) +
      this.#event('response.output_item.done', { output_index: call.index, item })
    );
  }

  #event(type: string, fields: object): string {
    const data = JSON.stringify({ type, sequence_number: this.#sequence++, ...fields });
    return `event: ${type}\ndata: ${data}\n\n`;
  }
}
