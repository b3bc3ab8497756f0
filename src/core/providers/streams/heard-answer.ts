import { MAX_TEXT } from '../../telemetry/telemetry.ts';
import type { AnswerPart } from '../resolved-model.ts';

type Content =
  | { type: 'text' | 'reasoning'; text: string }
  | Pick<Extract<AnswerPart, { type: 'tool-call' }>, 'type' | 'toolCallId' | 'toolName' | 'input'>;

/** Keeps what a streamed answer says, as a whole answer has it, up to the size that is exported. */
export class HeardAnswer {
  readonly content: Content[] = [];
  #left = MAX_TEXT;

  add(parts: readonly AnswerPart[]): void {
    for (const part of parts) {
      if (this.#left <= 0) return;
      if (part.type === 'text-delta') this.#addText('text', part.delta);
      else if (part.type === 'reasoning-delta') this.#addText('reasoning', part.delta);
      else if (part.type === 'tool-call') {
        const { type, toolCallId, toolName } = part;
        this.content.push({ type, toolCallId, toolName, input: this.#take(part.input) });
      }
    }
  }

  #addText(type: 'text' | 'reasoning', delta: string): void {
    const last = this.content.at(-1);
    const text = this.#take(delta);
    if (last?.type === type) last.text += text;
    else this.content.push({ type, text });
  }

  #take(text: string): string {
    const taken = text.slice(0, this.#left);
    this.#left -= taken.length;
    return taken;
  }
}
