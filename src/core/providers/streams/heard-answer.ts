import { MAX_TEXT } from '../../telemetry/telemetry.ts';
import type { AnswerPart } from '../resolved-model.ts';

type Content =
  | { type: 'text' | 'reasoning'; text: string }
  | Pick<Extract<AnswerPart, { type: 'tool-call' }>, 'type' | 'toolCallId' | 'toolName' | 'input'>;

/** As long as secrets are: one that begins before the end of what is exported is kept whole, so that it is recognized. */
const MAX_SECRET = 16 * 1024;
/** How many characters are kept. */
export const KEPT: number = MAX_TEXT + MAX_SECRET;

/** Keeps what a streamed answer says, as a whole answer has it, up to a little more than is exported. */
export class HeardAnswer {
  readonly content: Content[] = [];
  #left = KEPT;

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
