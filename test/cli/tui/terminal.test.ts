import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../helpers/tasks.ts';
import { ensureBuilt, SvcHome } from '../svc-binary.ts';
import { approvalOf, ScriptedDaemon } from './scripted-daemon.ts';
import { hasTmux, Terminal } from './terminal.ts';

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
    using terminal = Terminal.svc(home, ['chat', '--url', daemon.url], { columns: 80, rows: 24 });
    expect(await terminal.until(/› Write a message/)).toContain('svc chat');
    terminal.type('Make', 'M-Enter', '日本', 'C-j', 'more\\', 'Enter');
    terminal.paste(Array.from({ length: 40 }, (_, at) => `row ${at}`).join('\n'));
    expect(await terminal.until(/\[pasted 40 lines\]/)).toMatch(/› Make\n {2}日本\n {2}more\n {2}\[pasted/);
    await until(() => expect(terminal.cursor).toBe('19 21'));
    terminal.type('Enter');
    await terminal.until(/Allow run_command\?/);
    await terminal.until(/│ "command" {2}make \\x1b\[2J\\u\{202e\}/);
    terminal.resize(120, 30);
    await terminal.until(/^─{120}$/m);
    await terminal.presses('a', /Allow run_command\?/, /done after/);
    await terminal.until(/✓ run_command {2}make/);
    await terminal.until(/漢字 │ b\s*\n─{5}┼─{5}\n😀 {3}│ done/);
    const sent = daemon.asked.find(({ route }) => route.endsWith('with-tools'))?.body['content'];
    expect(sent).toMatch(/^Make\n日本\nmore\nrow 0\n[^]*row 39$/);
    terminal.type('C-u', 'C-c');
    await terminal.until(/Press Ctrl\+C again to exit/);
    terminal.type('C-c');
    const left = await terminal.until(/exit code 0/);
    // The end of the transcript stays, and below it the way back.
    expect(left).toMatch(/漢字 │ b\s*\n[^]*😀 {3}│ done\s+Continue: svc chat -c conv_/);
  });

  it('queues, interrupts, recalls, suspends, resumes and leaves', async () => {
    daemon.script = async (run) => {
      run.begin();
      run.text(`Answer to ${run.content}`);
      if (run.content === 'Go') return run.stop();
      run.text(`\n\n\`\`\`sh\necho ${'0123456789'.repeat(10)}\n\`\`\``);
      run.complete();
    };
    using terminal = await Terminal.shell(home, ['chat', '--url', daemon.url], { columns: 60, rows: 20 });
    await terminal.until(/› Write a message/);
    terminal.type('Go', 'Enter');
    await terminal.until(/Answer to Go/);
    terminal.type('next', 'Enter');
    await terminal.until(/queued +next/);
    terminal.type('Escape');
    const answered = await terminal.until(/Answer to next[^]*done after/);
    expect(answered).toMatch(/Answer to Go\s+· Interrupted\.\s+› next\s+Answer to next/);
    terminal.type('Up', 'Up');
    await terminal.until(/─\n› Go/);
    terminal.type('C-z');
    await terminal.until(/Stopped[^]*ready> *$/m);
    terminal.type('fg', 'Enter');
    await terminal.until(/─\n› Go\s+done after/);
    terminal.type('C-u', 'C-r');
    await terminal.until(/Search earlier messages/);
    terminal.type('Escape');
    await terminal.until(/Write a reply/);
    terminal.type('C-c');
    await terminal.until(/Press Ctrl\+C again/);
    terminal.type('C-c');
    await terminal.until(/Continue: svc chat -c conv_[^]*ready> *$/m);
    // A line that was broken on the screen is copied whole.
    expect(terminal.history).toContain(`  echo ${'0123456789'.repeat(10)}`);
  });
});
