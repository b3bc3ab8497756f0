import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, outcomeOf, said, SvcHome } from './svc-binary.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;
const command = ['run', '--agent', 'command'];

/** What is written, without colours and movements of the cursor. */
const plain = (text: string) => stripVTControlCharacters(text).replaceAll('\r', '');

if (!hasScript && process.env['CI'])
  throw new Error('These tests need script (util-linux), and CI skips nothing');

describe.skipIf(!hasScript)('svc on a terminal (needs script of util-linux)', () => {
  let home: SvcHome;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
    await home.svc(['daemon', 'start']);
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it('shows a spinner and ends the answer with a newline', async () => {
    const { code, stdout } = outcomeOf(await home.startOnTerminal([...command, '--', 'printf answer']));
    expect(code).toBe(0);
    expect(plain(stdout)).toMatch(/✓ done in \d.*\nanswer\n/);
  });

  it('cancels at Ctrl-C', async () => {
    const running = home.startOnTerminal([...command, '--', 'sleep 600']);
    await said(running, 'stdout', /attempt 1 of 3/);
    running.stdin?.write('\u0003');
    const { code, stdout } = outcomeOf(await running);
    expect(code).toBe(130);
    expect(plain(stdout)).toContain('✗ cancelled after');
  });

  it('fits tables into the terminal, and makes control characters visible', async () => {
    const title = `\u001b[31mred\u202e ${'long '.repeat(20)}`;
    await home.svc(['tasks', 'create', '--title', title, '--agent', 'command', '--prompt', 'true']);
    const { stdout } = outcomeOf(await home.startOnTerminal(['tasks', 'ls', '--limit', '1']));
    const lines = plain(stdout).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ID +STATUS +CREATED +TITLE$/);
    expect(lines[1]).toMatch(/\\x1b\[31m.*…$/);
    for (const line of lines.slice(0, 2)) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }, { CI: 'true' }])('has no colours with %o', async (env) => {
    const { stdout } = outcomeOf(await home.startOnTerminal(['tasks', 'ls', '--limit', '1'], { env }));
    expect(stdout).not.toContain('\u001b[');
  });
});
