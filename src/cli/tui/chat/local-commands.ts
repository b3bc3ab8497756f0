import type { Attachment } from '../../../contract/attachments.ts';
import type { ChatEvent } from './chat-state.ts';
import { runShell } from './run-shell.ts';

/** More of what a command prints is not shown while it runs. */
const MOST_SHOWN = 64_000;
const END_SHOWN = 4_000;

export interface LocalCommandsParts {
  folder: string;
  /** The shell of the user. */
  shell: string;
  push: (event: ChatEvent) => void;
  apply: (event: ChatEvent) => void;
}

/** Runs commands of the user on this machine, and keeps what they print for the next message. */
export class LocalCommands {
  readonly #parts: LocalCommandsParts;
  #attached: readonly Attachment[] = [];
  #running: AbortController | undefined;

  constructor(parts: LocalCommandsParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  async run(command: string): Promise<void> {
    if (this.#running) return;
    const { folder, shell, push, apply } = this.#parts;
    const controller = new AbortController();
    this.#running = controller;
    apply({ kind: 'shell', command });
    let shown = 0;
    const { output, failure } = await runShell(command, {
      shell,
      folder,
      signal: controller.signal,
      onOutput: (text) => {
        if (shown < MOST_SHOWN) push({ kind: 'output', text: text.slice(0, MOST_SHOWN - shown) });
        shown += text.length;
      },
    });
    if (shown > MOST_SHOWN) push({ kind: 'output', text: `\n[…]\n${output.slice(-END_SHOWN)}` });
    this.#running = undefined;
    const end = failure === undefined ? '' : `\n(${failure})`;
    this.#set([
      ...this.#attached,
      { kind: 'command', name: command, text: `${output.trimEnd()}${end}`.trim() },
    ]);
    apply({ kind: 'shell', command: undefined });
    const what = failure === undefined ? '' : `${failure[0]?.toUpperCase()}${failure.slice(1)}. `;
    apply({
      kind: 'note',
      text: `${what}Attached to your next message. Backspace in an empty box removes it.`,
    });
  }

  stop(): void {
    this.#running?.abort();
  }

  /** Hands out what is attached, once. */
  take(): readonly Attachment[] {
    const taken = this.#attached;
    if (taken.length > 0) this.#set([]);
    return taken;
  }

  /** Removes the last of what is attached; false where there is nothing. */
  dropLast(): boolean {
    if (this.#attached.length === 0) return false;
    this.#set(this.#attached.slice(0, -1));
    return true;
  }

  #set(attached: readonly Attachment[]): void {
    this.#attached = attached;
    this.#parts.apply({ kind: 'attached', attached });
  }
}
