import type { DriverListener } from '../driver.ts';
import { type Fields, textOf, textsOf } from './codex-fields.ts';

interface Message {
  streamed: string;
  text: string | undefined;
  isFinal: boolean;
}

/** The messages and the thinking of one turn; passes on what is new of them. */
export class CodexText {
  readonly #listener: DriverListener;
  readonly #messages = new Map<string, Message>();
  readonly #thinking = new Map<string, string>();

  constructor(listener: DriverListener) {
    this.#listener = listener;
  }

  /** A message has begun, or has got this text. */
  appendMessage(id: string, delta: string): void {
    const message = this.#messages.get(id) ?? { streamed: '', text: undefined, isFinal: false };
    const isFirstText = message.streamed === '' && delta !== '';
    const isLater = [...this.#messages.values()].some(({ streamed }) => streamed !== '');
    this.#messages.set(id, message);
    message.streamed += delta;
    if (delta !== '') this.#listener.onText(isFirstText && isLater ? `\n${delta}` : delta);
  }

  /** True where the message says something. */
  completeMessage(id: string, item: Fields): boolean {
    const text = textOf(item['text']) ?? '';
    const { streamed = '' } = this.#messages.get(id) ?? {};
    this.appendMessage(id, text.startsWith(streamed) ? text.slice(streamed.length) : '');
    const message = this.#messages.get(id);
    if (message) Object.assign(message, { text, isFinal: item['phase'] === 'final_answer' });
    return text.trim() !== '';
  }

  appendThinking(id: string, delta: string): void {
    const isLater = !this.#thinking.has(id) && this.#thinking.size > 0;
    this.#thinking.set(id, (this.#thinking.get(id) ?? '') + delta);
    this.#listener.onThinking(isLater ? `\n${delta}` : delta);
  }

  completeThinking(id: string, item: Fields): void {
    const text = [...textsOf(item['summary']), ...textsOf(item['content'])].join('\n');
    if (text !== '' && !this.#thinking.has(id)) this.appendThinking(id, text);
  }

  /** The answer: the messages that Codex calls final, or all that are completed. */
  get answer(): string {
    const completed = [...this.#messages.values()].filter(({ text }) => (text ?? '') !== '');
    const final = completed.filter(({ isFinal }) => isFinal);
    return (final.length > 0 ? final : completed).map(({ text }) => text).join('\n');
  }

  /** What was streamed of all messages: the answer of a turn whose messages lost their ends. */
  get streamed(): string {
    const texts = [...this.#messages.values()].map(({ streamed }) => streamed);
    return texts.filter((text) => text !== '').join('\n');
  }

  /** Whether a message has begun and says nothing: so a refusal of the model looks. */
  get hasEmptyMessage(): boolean {
    return [...this.#messages.values()].some(({ streamed, text }) => streamed === '' && (text ?? '') === '');
  }
}
