import { spawnSync } from 'node:child_process';
import { setInterval } from 'node:timers/promises';
import { patienceMs } from '../../helpers/long.ts';
import { root, type SvcHome } from '../svc-binary.ts';

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux && process.env['CI']) throw new Error('These tests need tmux, and CI skips nothing');

export interface Size {
  columns: number;
  rows: number;
}

const svcLine = (words: string[]) =>
  [process.execPath, `${root}/bin/svc.js`, ...words].map((word) => `'${word}'`).join(' ');

/** A terminal that a person could sit at. */
export class Terminal implements Disposable {
  readonly #socket = `svc-test-${process.pid}-${Math.trunc(performance.now())}`;

  /** Runs a line of the shell with nothing but these variables. */
  constructor(env: Record<string, string>, command: string, { columns, rows }: Size) {
    this.#tmux(['new-session', '-d', '-x', String(columns), '-y', String(rows), command], {
      ...env,
      TERM: 'xterm-256color',
    });
  }

  /** Runs svc, and shows its exit code after it. */
  static svc(home: SvcHome, words: string[], size: Size): Terminal {
    return new Terminal(home.env, `${svcLine(words)}; echo "exit code $?"; exec cat`, size);
  }

  /** Runs svc in a shell with job control. */
  static async shell(home: SvcHome, words: string[], size: Size): Promise<Terminal> {
    const terminal = new Terminal(home.env, 'PS1="ready> " HISTFILE= exec bash --norc --noprofile -i', size);
    await terminal.until(/ready>/);
    terminal.write(` ${svcLine(words)}`);
    terminal.type('Enter');
    return terminal;
  }

  [Symbol.dispose](): void {
    this.#tmux(['kill-server']);
  }

  /** Presses keys by their names. */
  type(...keys: string[]): void {
    this.#tmux(['send-keys', ...keys]);
  }
  /** Types a text as it is. */
  write(text: string): void {
    this.#tmux(['send-keys', '-l', text]);
  }
  paste(text: string): void {
    this.#tmux(['set-buffer', text]);
    this.#tmux(['paste-buffer', '-p', '-r']);
  }
  resize(columns: number, rows: number): void {
    this.#tmux(['resize-window', '-x', String(columns), '-y', String(rows)]);
  }
  get screen(): string {
    return this.#tmux(['capture-pane', '-p']);
  }
  /** The screen with the escape sequences of its colors. */
  get coloredScreen(): string {
    return this.#tmux(['capture-pane', '-p', '-e']);
  }
  /** All that the terminal remembers, with long lines as they were written. */
  get history(): string {
    return this.#tmux(['capture-pane', '-p', '-J', '-S', '-']);
  }
  /** The column and the row of the cursor. */
  get cursor(): string {
    return this.#tmux(['display-message', '-p', '#{cursor_x} #{cursor_y}']).trim();
  }

  async until(pattern: RegExp): Promise<string> {
    const end = performance.now() + patienceMs;
    for await (const _ of setInterval(30)) {
      const { screen } = this;
      if (pattern.test(screen)) return screen;
      if (performance.now() > end) throw new Error(`It never matched ${pattern}:\n${screen}`);
    }
    throw new Error('unreachable');
  }

  /**
   * Presses a key as long as a question is there, until it has an effect: a question takes no keys in its first half second.
   * Where the screen is late, a key too many may stand in what is written next.
   */
  async presses(key: string, question: RegExp, effect: RegExp): Promise<string> {
    const end = performance.now() + patienceMs;
    for await (const _ of setInterval(700)) {
      const { screen } = this;
      if (effect.test(screen)) return screen;
      if (performance.now() > end) throw new Error(`${key} never led to ${effect}:\n${screen}`);
      if (question.test(screen)) this.type(key);
    }
    throw new Error('unreachable');
  }

  #tmux(args: string[], env?: Record<string, string>): string {
    const { stdout, stderr, status } = spawnSync('tmux', ['-L', this.#socket, '-f', '/dev/null', ...args], {
      encoding: 'utf8',
      ...(env && { env: { ...env, LC_ALL: 'C.UTF-8' } }),
    });
    if (status !== 0) throw new Error(`tmux ${args[0]}: ${stderr}`);
    return stdout;
  }
}
