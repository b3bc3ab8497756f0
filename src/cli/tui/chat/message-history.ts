import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** How many messages are kept, and how long one may be. */
const MOST_MESSAGES = 1_000;
const MOST_CHARACTERS = 10_000;

/** What looks like a password or a key is not kept, and neither is a message that begins with a blank, as in a shell. */
const secret =
  /\b(?:sk|pk|rk)[-_][\w-]{16}|\bgh[pousr]_\w{20}|\bgithub_pat_\w{20}|\bxox[abprs]-[\w-]{10}|\bAKIA[A-Z0-9]{16}\b|\bAIza[\w-]{30}|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----|\beyJ[\w-]{20}|(?:password|passwort|passwd|secret|token|api[_-]?key)\s{0,9}[:=]\s{0,9}\S{4}/i;

export const isKept = (message: string): boolean =>
  message.trim() !== '' && !/^\s/.test(message) && message.length <= MOST_CHARACTERS && !secret.test(message);

/** The messages of earlier chats, the last one at the end. The file is only for its user. */
export class MessageHistory {
  readonly #file: string;
  #messages: string[];

  constructor(file: string) {
    this.#file = file;
    this.#messages = read(file);
    if (this.#messages.length <= MOST_MESSAGES) return;
    this.#messages = this.#messages.slice(-MOST_MESSAGES / 2);
    const text = this.#messages.map(lineOf).join('');
    // Another chat may append in between; losing its last message is better than a file that is half written.
    trying(() => {
      writeFileSync(`${file}.${process.pid}`, text, { mode: 0o600 });
      renameSync(`${file}.${process.pid}`, file);
    });
  }

  get messages(): readonly string[] {
    return this.#messages;
  }

  add(message: string): void {
    if (message === this.#messages.at(-1) || message.trim() === '') return;
    this.#messages.push(message);
    if (!isKept(message)) return;
    trying(() => {
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
      appendFileSync(this.#file, lineOf(message), { mode: 0o600 });
      chmodSync(this.#file, 0o600);
    });
  }
}

const lineOf = (message: string) => `${JSON.stringify(message)}\n`;

function read(file: string): string[] {
  const text = trying(() => readFileSync(file, 'utf8')) ?? '';
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    const message = trying((): unknown => JSON.parse(line));
    return typeof message === 'string' ? [message] : [];
  });
}

/** A history that cannot be read or written must not stop a chat. */
function trying<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}
