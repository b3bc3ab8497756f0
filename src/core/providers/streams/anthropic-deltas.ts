import type { AnswerPart } from '../resolved-model.ts';
import { type Fields, type Found, isFields, parseFields, type PlainDeltas } from './plain-deltas.ts';

type Block = 'text' | 'thinking';

/** Recognizes the plain pieces of Anthropic's messages. */
export class AnthropicDeltas implements PlainDeltas {
  readonly #open = new Map<number, Block>();
  #isFirst = true;
  /** The block that the last piece was of. */
  #last: number | undefined;

  find(data: string): Found {
    const event = parseFields(data);
    if (!event) return 'other';
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    switch (event['type']) {
      case 'ping':
      case 'message_delta':
      case 'message_stop':
        return 'quiet';
      case 'message_start':
        // A second message, and calls that stand in the first event, are rare.
        return isFirst && !hasContent(event['message']) ? 'quiet' : 'other';
      case 'content_block_start':
        return this.#begin(event);
      case 'content_block_delta':
        return this.#add(event);
      case 'content_block_stop':
        return this.#end(event);
      default:
        return 'other';
    }
  }

  #begin({ index, content_block: block }: Fields): Found {
    if (typeof index !== 'number' || !isFields(block) || this.#open.has(index)) return 'other';
    const { type } = block;
    if (type !== 'text' && type !== 'thinking') return 'other';
    this.#open.set(index, type);
    this.#last = undefined;
    const id = String(index);
    return { parts: [{ type: type === 'text' ? 'text-start' : 'reasoning-start', id }], isBeginning: true };
  }

  #add({ index, delta, ...others }: Fields): Found {
    if (typeof index !== 'number' || !isFields(delta) || !hasOnly(others, 'type')) return 'other';
    const block = this.#open.get(index);
    const id = String(index);
    const { type, ...content } = delta;
    const { text, thinking, signature } = content;
    let part: Extract<AnswerPart, { delta: string }> | undefined;
    if (block === 'text' && type === 'text_delta' && typeof text === 'string' && hasOnly(content, 'text'))
      part = { type: 'text-delta', id, delta: text };
    if (
      block === 'thinking' &&
      type === 'thinking_delta' &&
      typeof thinking === 'string' &&
      hasOnly(content, 'thinking')
    )
      part = { type: 'reasoning-delta', id, delta: thinking };
    if (!part) {
      if (block !== 'thinking' || type !== 'signature_delta' || typeof signature !== 'string') return 'other';
      const providerMetadata = { anthropic: { signature } };
      return { parts: [{ type: 'reasoning-delta', id, delta: '', providerMetadata }], isBeginning: true };
    }
    const isBeginning = this.#last !== index;
    // The package asks whether there was any output, of which an empty piece is none.
    if (part.delta !== '') this.#last = index;
    return { parts: [part], isBeginning };
  }

  #end({ index }: Fields): Found {
    if (typeof index !== 'number') return 'other';
    const block = this.#open.get(index);
    this.#open.delete(index);
    if (!block) return 'other';
    const id = String(index);
    return { parts: [{ type: block === 'text' ? 'text-end' : 'reasoning-end', id }], isBeginning: true };
  }
}

const hasContent = (message: unknown): boolean =>
  !isFields(message) || !Array.isArray(message['content']) || message['content'].length > 0;

function hasOnly(fields: Fields, name: string): boolean {
  for (const each in fields) if (each !== name) return false;
  return true;
}
