import { spawnSync } from 'node:child_process';
import { setInterval } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, root, SvcHome } from '../svc-binary.ts';
import { approvalOf, ScriptedDaemon } from './scripted-daemon.ts';

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux && process.env['CI']) throw new Error('These tests need tmux, and CI skips nothing');

const PATIENCE_MS = 20_000;

/** A terminal that a person could sit at. */
class Terminal implements Disposable {
  readonly #socket = `svc-test-${process.pid}-${Math.trunc(performance.now())}`;

  constructor(home: SvcHome, words: string[], { columns, rows }: { columns: number; rows: number }) {
    const line = [process.execPath, `${root}/bin/svc.js`, ...words].map((word) => `'${word}'`).join(' ');
    this.#tmux(
      [
        'new-session',
        '-d',
        '-x',
        String(columns),
        '-y',
        String(rows),
        `${line}; echo "exit code $?"; exec cat`,
      ],
      { ...home.env, TERM: 'xterm-256color' },
    );
  }

  [Symbol.dispose](): void {
    this.#tmux(['kill-server']);
  }

  type(...keys: string[]): void {
    this.#tmux(['send-keys', ...keys]);
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
  /** The column and the row of the cursor. */
  get cursor(): string {
    return this.#tmux(['display-message', '-p', '#{cursor_x} #{cursor_y}']).trim();
  }

  async until(pattern: RegExp): Promise<string> {
    const end = performance.now() + PATIENCE_MS;
    for await (const _ of setInterval(30)) {
      const { screen } = this;
      if (pattern.test(screen)) return screen;
      if (performance.now() > end) throw new Error(`It never matched ${pattern}:\n${screen}`);
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

describe.skipIf(!hasTmux)('svc chat on a terminal (needs tmux)', () => {
  let home: SvcHome;
  let daemon: ScriptedDaemon;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
    daemon = await ScriptedDaemon.start();
  });
  afterAll(async () => {
    await daemon[Symbol.asyncDispose]();
    await home[Symbol.asyncDispose]();
  });

  it('handles keys, pastes, resizing and prompts, and restores the terminal', async () => {
    daemon.script = async (run) => {
      run.begin();
      run.call('c', 'run_command', { command: 'make' });
      run.result('c', await run.ask('c', approvalOf('one', { params: { command: 'make \u001b[2J\u202e' } })));
      run.text('| 漢字 | b |\n|---|---|\n| 😀 | **done** |\n');
      run.complete();
    };
    using terminal = new Terminal(home, ['chat', '--url', daemon.url], { columns: 80, rows: 24 });
    expect(await terminal.until(/› Write a message/)).toContain('svc chat');
    terminal.type('Make', 'M-Enter', '日本', 'C-j', 'more\\', 'Enter');
    terminal.paste(Array.from({ length: 40 }, (_, at) => `row ${at}`).join('\n'));
    expect(await terminal.until(/\[pasted 40 lines\]/)).toMatch(/› Make\n {2}日本\n {2}more\n {2}\[pasted/);
    expect(terminal.cursor).toBe('19 21');
    terminal.type('Enter');
    const asked = await terminal.until(/Allow run_command\?/);
    expect(asked).toContain('│ "command"  make \\x1b[2J\\u{202e}');
    terminal.resize(120, 30);
    await terminal.until(/^─{120}$/m);
    // Keys count once nobody has typed for half a second: until then they are pressed again.
    for await (const _ of setInterval(700)) {
      if (!terminal.screen.includes('Allow run_command?')) break;
      terminal.type('a');
    }
    const done = await terminal.until(/done after/);
    expect(done).toMatch(/✓ run_command {2}make/);
    expect(done).toMatch(/漢字 │ b\s*\n─{5}┼─{5}\n😀 {3}│ done/);
    const sent = daemon.asked.find(({ route }) => route.endsWith('with-tools'))?.body['content'];
    expect(sent).toMatch(/^Make\n日本\nmore\nrow 0\n[^]*row 39$/);
    terminal.type('C-c');
    await terminal.until(/Press Ctrl\+C again to exit/);
    terminal.type('C-c');
    const left = await terminal.until(/exit code 0/);
    expect(left).toMatch(/^Continue: svc chat -c conv_/);
    expect(left).not.toContain('漢字');
  });
});
