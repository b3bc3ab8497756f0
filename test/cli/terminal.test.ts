import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatSeed } from '../../src/cli/commands/devices/seed-words.ts';
import { ensureBuilt, hasTerminals, outcomeOf, said, SvcHome } from './svc-binary.ts';

const command = ['run', '--agent', 'command'];

/** What is written, without colours and movements of the cursor. */
const plain = (text: string) => stripVTControlCharacters(text).replaceAll('\r', '');

describe.skipIf(!hasTerminals)('svc on a terminal (needs script of util-linux)', () => {
  let home: SvcHome;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
    await home.svc(['daemon', 'start']);
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it('shows what a command prints, and on a line of its own how it ended', async () => {
    const { code, stdout } = outcomeOf(await home.startOnTerminal([...command, '--', 'printf answer']));
    expect(code).toBe(0);
    expect(plain(stdout)).toMatch(/answer\n✓ done in \d.* · task [0-9a-f]{8}/);
  });

  it('cancels the task on Ctrl-C on a terminal', async () => {
    const running = home.startOnTerminal([...command, '--', 'sleep 600']);
    await said(running, 'stdout', /started by/);
    running.stdin?.write('\u0003');
    const { code, stdout } = outcomeOf(await running);
    expect(code).toBe(130);
    expect(plain(stdout)).toContain('✗ cancelled after');
  });

  it('fits tables into the terminal and escapes control characters', async () => {
    const title = `\u001b[31mred\u202e ${'long '.repeat(20)}`;
    await home.svc(['tasks', 'create', '--title', title, '--agent', 'command', '--prompt', 'true']);
    const { stdout } = outcomeOf(await home.startOnTerminal(['tasks', 'ls', '--limit', '1']));
    const lines = plain(stdout).trimEnd().split('\n');
    expect(lines[0]).toMatch(/^ID +STATUS +CREATED +TITLE$/);
    expect(lines[1]).toMatch(/\\x1b\[31m.*…$/);
    for (const line of lines.slice(0, 2)) expect(line.length).toBeLessThanOrEqual(80);
  });

  it.each([{ NO_COLOR: '1' }, { TERM: 'dumb' }, { CI: 'true' }])('prints no colours with %o', async (env) => {
    const { stdout } = outcomeOf(await home.startOnTerminal(['tasks', 'ls', '--limit', '1'], { env }));
    expect(stdout).not.toContain('\u001b[');
  });

  const signup = ['auth', 'signup', '--email', 'ada@example.com', '--name', 'Ada'];

  it('asks for a password twice, hides it, and handles backspace', async () => {
    const running = home.startOnTerminal(signup);
    await said(running, 'stdout', /Password: $/);
    // An empty line is no answer, é is taken back whole, and a password manager types ahead.
    running.stdin?.write('\rcorrect horseé\u007f 1\rcorrect horse 1\r');
    const { code, stdout } = outcomeOf(await running);
    expect(code, stdout).toBe(0);
    expect(plain(stdout)).toMatch(/^(Password: \n){2}Repeat the password: \nAda <ada@example\.com>, admin\n/);
    expect(stdout).not.toMatch(/horse/);
    const login = await fetch(`http://127.0.0.1:${home.port}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ada@example.com', password: 'correct horse 1' }),
    });
    expect(login.status).toBe(200);
  });

  it.each(['half\u0003', '\u0004'])('changes nothing when a question is not answered (%j)', async (keys) => {
    const running = home.startOnTerminal(signup);
    await said(running, 'stdout', /Password: $/);
    running.stdin?.write(keys);
    const { code, stdout } = outcomeOf(await running);
    expect(code).toBe(130);
    expect(plain(stdout)).toBe('Password: \nsvc: Interrupted; nothing was changed.\n');
  });

  it('shows the requester before it approves a device', async () => {
    await using laptop = await SvcHome.create();
    const url = `http://127.0.0.1:${home.port}`;
    const asking = laptop.start(['devices', 'pair', '--url', url, '--name', 'work']);
    const code = (await said(asking, 'stdout', /-.*-.*\n/)).trim();
    for (const [answer, exit] of [
      ['', 3],
      ['y', 0],
    ] as const) {
      const running = home.startOnTerminal(['devices', 'approve', code]);
      expect(await said(running, 'stdout', /Approve as an administrator\? \[y\/N\] /)).toMatch(
        /fingerprint.*sha256/,
      );
      running.stdin?.write(`${answer}\r`);
      expect(outcomeOf(await running).code).toBe(exit);
    }
    expect(outcomeOf(await asking).code).toBe(0);
  });

  it('lists tokens with their scopes and expiry', async () => {
    await home.svc(['tokens', 'create', 'ci', '--scope', 'tasks:read', '--days', '30']);
    await home.svc(['tokens', 'create', 'report', '--scope', 'gateway:write', '--scope', 'gateway:read']);
    const lines = plain(outcomeOf(await home.startOnTerminal(['tokens', 'ls'])).stdout)
      .trimEnd()
      .split('\n');
    expect(lines[0]).toMatch(/^ID +TOKEN +EXPIRES +LAST USED +NAME +SCOPES$/);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    const row = lines.find((line) => line.includes('30 d')) ?? '';
    expect(row).toMatch(/^[0-9a-f]{8} +svc_\S+… +30 d +never +ci +tasks:read$/);
    const revoked = await home.svc(['tokens', 'revoke', row.split(' ')[0] ?? '']);
    expect(revoked.code, revoked.stderr).toBe(0);
  });

  it('reads recovery words from several lines, hides them and leaves none behind', async () => {
    await using lost = await SvcHome.create();
    const words = formatSeed(Buffer.alloc(32, 7));
    const running = lost.startOnTerminal(['devices', 'identity', '--restore']);
    await said(running, 'stdout', /The 24 words: $/);
    running.stdin?.write(`${words.replaceAll('\n', '\r')}leftover words\r`);
    const { code, stdout } = outcomeOf(await running);
    expect(code, stdout).toBe(0);
    expect(plain(stdout)).toMatch(
      /^The 24 words: \nWords 7 to 24: \nWords 13 to 24: \nWords 19 to 24: \nIdentity/,
    );
    for (const word of [...words.trim().split(/\s+/), 'leftover'])
      if (!'Identity restored to'.includes(word)) expect(stdout).not.toMatch(new RegExp(`\\b${word}\\b`));
    expect(readFileSync(join(lost.folder, 'identity'), 'utf8')).toBe(`${'07'.repeat(32)}\n`);
  });

  it('shows a QR code that fits the terminal', async () => {
    const running = home.startOnTerminal(['devices', 'qr']);
    const shown = plain(await said(running, 'stdout', /Ctrl-C cancels/));
    expect(shown.split('\n').length).toBeLessThanOrEqual(24);
    expect(shown).toMatch(/^█{30,45}\n/);
    running.stdin?.write('\u0003');
    expect(outcomeOf(await running).code).toBe(130);
  });
});
