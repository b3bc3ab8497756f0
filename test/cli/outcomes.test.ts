import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CallOptions, ensureBuilt, SvcHome } from './svc-binary.ts';

interface Row extends CallOptions {
  name: string;
  args: string[];
  code: number;
  /** All of stdout; nothing unless given. */
  stdout?: string | RegExp;
  /** What stderr must hold; nothing else is said where it is empty. */
  stderr?: RegExp | '';
}

const command = ['run', '--agent', 'command'];

const rows: Row[] = [
  {
    name: 'a command that ends well',
    args: [...command, '--', 'printf hello'],
    code: 0,
    stdout: 'hello',
    stderr: /started by command\n✓ done in \d/,
  },
  {
    name: 'a command in the folder of the caller',
    args: [...command, '--', 'pwd'],
    cwd: '/usr',
    code: 0,
    stdout: '/usr\n',
    stderr: /✓ done/,
  },
  {
    name: 'several words are one prompt',
    args: [...command, 'echo', 'one', 'two'],
    code: 0,
    stdout: 'one two\n',
    stderr: /✓ done/,
  },
  {
    name: 'a command that fails: its stdout, its stderr, one line',
    args: [...command, '--attempts', '1', '--', 'echo out; echo complaint >&2; exit 3'],
    code: 1,
    stdout: 'out\n',
    stderr:
      /\ncomplaint\n✗ failed: The command ended with exit code 3: complaint {2}See: svc tasks show task_/,
  },
  {
    name: 'the prompt from stdin',
    args: [...command, '-'],
    stdin: 'echo from stdin',
    code: 0,
    stdout: 'from stdin\n',
    stderr: /✓ done/,
  },
  {
    name: 'stdin is not part of a command',
    args: [...command, '--', 'echo said'],
    stdin: 'rm -rf nothing',
    code: 0,
    stdout: 'said\n',
    stderr: /✓ done/,
  },
  {
    name: 'out of time',
    args: [...command, '--timeout', '100ms', '--', 'sleep 30'],
    code: 124,
    stderr: /✗ stopped after 0\.1 s \(--timeout\) {2}See: svc tasks show task_/,
  },
  {
    name: 'detached',
    args: [...command, '--detach', '--', 'true'],
    code: 8,
    stdout: /^task_[0-9a-f-]{36}\n$/,
    stderr: '',
  },
  {
    name: 'detached, as JSON',
    args: [...command, '--detach', '--json', '--', 'true'],
    code: 8,
    stdout: /^\{\n {2}"message": "Task created",\n {2}"task": \{/,
    stderr: '',
  },
  {
    name: 'the id only',
    args: [...command, '--quiet', '--', 'echo answer'],
    code: 0,
    stdout: /^task_[0-9a-f-]{36}\n$/,
    stderr: '',
  },
  {
    name: 'the finished task as JSON',
    args: [...command, '--json', '--', 'echo answer'],
    code: 0,
    stdout: /^\{\n {2}"task": \{[^]*"output": "answer\\n"/,
    stderr: /✓ done/,
  },
  {
    name: 'every event as a line of JSON',
    args: [...command, '--jsonl', '--', 'echo answer'],
    code: 0,
    stdout: /^\{"seq":1,[^\n]*\n\{"seq":2,[^\n]*\n\{"seq":3,[^]*"type":"completed"[^\n]*\n$/,
    stderr: /✓ done/,
  },
  {
    name: 'an agent that does not exist',
    args: ['run', '--agent', 'comand', 'hello'],
    code: 6,
    stderr: /^svc: There is no agent "comand"\. Did you mean command\? See: svc agents ls\n$/,
  },
  { name: 'no prompt', args: ['run'], code: 2, stderr: /^svc: Missing prompt\. Example: svc run/ },
  {
    name: 'a command that does not exist',
    args: ['taks'],
    code: 2,
    stderr: /^svc: Unknown command 'taks'\. Did you mean tasks\? See: svc --help\n$/,
  },
  {
    name: 'a verb that does not exist',
    args: ['daemon', 'strat'],
    code: 2,
    stderr: /^svc: Unknown command 'strat'\. Did you mean start\? See: svc daemon --help\n$/,
  },
  {
    name: 'an option that does not exist',
    args: ['tasks', 'ls', '--limt', '3'],
    code: 2,
    stderr: /^svc: Unknown option '--limt'\. Did you mean --limit\? See: svc tasks ls --help\n$/,
  },
  {
    name: 'an option that is missing, after one of every command',
    args: ['--url', 'tasks', 'tokens', 'create', 'ci'],
    code: 2,
    stderr: /^svc: Required option '--scope <scope>' not specified\. See: svc tokens create --help\n$/,
  },
  {
    name: 'a verb of a verb that does not exist',
    args: ['auth', 'sessions', 'lst'],
    code: 2,
    stderr: /^svc: Unknown command 'lst'\. Did you mean ls\? See: svc auth sessions --help\n$/,
  },
  ...['tokens', 'devices', 'auth sessions'].map((noun) => ({
    name: `a whole id that does not exist: ${noun}`,
    args: [
      ...noun.split(' '),
      'revoke',
      `${noun === 'tokens' ? 'token' : noun === 'devices' ? 'dev' : 'sess'}_${'0'.repeat(36)}`,
    ],
    code: 5,
    stderr: /^svc: There is no (token|device|session) "\S+"\. See them: svc .* ls\n$/,
  })),
  {
    name: 'an option with a wrong value',
    args: ['run', '--timeout', 'soon', 'hello'],
    code: 2,
    stderr: /Expected a duration such as 30s/,
  },
  { name: 'a noun without a verb', args: ['tasks'], code: 2, stderr: /Usage: svc tasks/ },
  {
    name: 'help',
    args: ['--help'],
    code: 0,
    stdout: /^Examples:\n {2}svc run .*\n[^]*Usage: svc/,
    stderr: '',
  },
  { name: 'no words at all', args: [], code: 0, stdout: /^Examples:/, stderr: '' },
  {
    name: 'help of a verb',
    args: ['help', 'tasks', 'ls'],
    code: 0,
    stdout: /^Examples:\n {2}svc tasks ls\n[^]*Usage: svc tasks ls/,
    stderr: '',
  },
  { name: 'the version', args: ['--version'], code: 0, stdout: /^\d+\.\d+\.\d+\n$/, stderr: '' },
  {
    name: 'an id that does not exist',
    args: ['tasks', 'show', 'task_nothing'],
    code: 5,
    stderr: /^svc: There is no task "task_nothing"\. See them: svc tasks ls\n$/,
  },
  {
    name: 'an ambiguous beginning of an id',
    args: ['tasks', 'show', '0'],
    code: 6,
    stderr: /^svc: "0" matches several task IDs: task_.*, task_/,
  },
  {
    name: 'input that the daemon refuses',
    args: ['tasks', 'ls', '--status', 'lost'],
    code: 6,
    stderr: /^svc: Invalid input: status: /,
  },
  {
    name: 'a setting that does not exist',
    args: ['config', 'get', 'queue.concurency'],
    code: 5,
    stderr: /Did you mean queue\.concurrency\?/,
  },
  { name: 'a setting', args: ['config', 'get', 'queue.retry.attempts'], code: 0, stdout: '3\n', stderr: '' },
  {
    name: 'an empty list',
    args: ['tasks', 'ls', '--q', 'nowhere to be found'],
    code: 0,
    stderr: /^No matching tasks/,
  },
  {
    name: 'who is signed in',
    args: ['auth', 'whoami'],
    code: 0,
    stdout: /<owner@localhost>, admin/,
    stderr: '',
  },
  {
    name: 'the health while no model provider is set up',
    args: ['health'],
    code: 0,
    stdout: /^degraded {2}svc \d/,
    stderr: '',
  },
  { name: 'the doctor', args: ['doctor'], code: 0, stdout: /^✓ node[^]*✓ daemon/, stderr: '' },
  {
    name: 'the agents',
    args: ['agents', 'test', 'command'],
    code: 0,
    stdout: '✓ command healthy\n',
    stderr: '',
  },
  {
    name: 'an agent that is not configured',
    args: ['agents', 'test', 'http'],
    code: 1,
    stdout: /✗ http not configured/,
  },
  {
    name: 'the queue',
    args: ['queue', 'status', '--json'],
    code: 0,
    stdout: /^\{\n {2}"mode": "memory"/,
    stderr: '',
  },
  {
    name: 'the same key with another task',
    args: [...command, '--idempotency-key', 'taken', '--', 'echo other'],
    code: 6,
    stderr: /^svc: .*[Ii]dempotency/,
  },
  {
    name: 'completion of a command',
    args: ['__complete', '--', 'tasks', 'ca'],
    code: 0,
    stdout: 'cancel\tCancel unfinished tasks\n',
    stderr: '',
  },
  {
    name: 'a context that does not exist',
    args: ['tasks', 'ls', '--context', 'nowhere'],
    code: 78,
    stderr: /^svc: There is no context "nowhere"\. See them: svc context ls\n$/,
  },
  {
    name: 'a reader who has seen enough',
    args: ['bash', 'set -o pipefail; svc tasks export | head -c 1'],
    code: 0,
    stdout: '{',
    stderr: '',
  },
];

/** What holds where no daemon runs. */
const rowsWithoutDaemon: Row[] = [
  {
    name: 'no daemon, and none may be started',
    args: ['tasks', 'ls'],
    env: { SVC_NO_AUTOSTART: '1' },
    code: 69,
    stderr:
      /^svc: No daemon at http:\/\/127\.0\.0\.1:\d+\. Start it: svc daemon start, or add --autostart\n$/,
  },
  { name: 'no daemon in CI', args: ['tasks', 'ls'], env: { CI: 'true' }, code: 69, stderr: /No daemon at/ },
  { name: 'the health of nothing', args: ['health'], code: 69, stderr: /No daemon at/ },
  { name: 'no daemon to stop', args: ['daemon', 'stop'], code: 0, stderr: /^No daemon is running\.\n$/ },
  {
    name: 'the status of nothing',
    args: ['daemon', 'status'],
    code: 69,
    stderr: /^No daemon is running\. Start it/,
  },
  { name: 'completion of ids', args: ['__complete', '--', 'tasks', 'show', ''], code: 0, stderr: '' },
  {
    name: 'a remote daemon that is away',
    args: ['tasks', 'ls', '--url', 'http://127.0.0.1:1'],
    code: 69,
    stderr: /Check the address/,
  },
  {
    name: 'a URL that is none',
    args: ['tasks', 'ls', '--url', 'nonsense'],
    code: 78,
    stderr: /is not an http or https URL/,
  },
  {
    name: 'where everything is',
    args: ['config', 'path'],
    code: 0,
    stdout: /^config +\/.*\n[^]*daemonFile/,
    stderr: '',
  },
];

async function check(home: SvcHome, { args, code, stdout = '', stderr, ...options }: Row): Promise<void> {
  const [first, line] = args;
  const outcome =
    first === 'bash' && line !== undefined ? await home.bash(line, options) : await home.svc(args, options);
  expect(outcome, JSON.stringify(outcome)).toMatchObject({ code });
  if (typeof stdout === 'string') expect(outcome.stdout).toBe(stdout);
  else expect(outcome.stdout).toMatch(stdout);
  if (stderr === undefined) return;
  if (typeof stderr === 'string') expect(outcome.stderr).toBe(stderr);
  else expect(outcome.stderr).toMatch(stderr);
}

describe('svc, without a terminal', () => {
  let home: SvcHome;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
    await home.svc(['daemon', 'start']);
    await home.svc(['run', '--agent', 'command', '--idempotency-key', 'taken', '--', 'echo first']);
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it.each(rows)('$name: exit $code', (row) => check(home, row));

  it('runs one task for a repeated idempotency key', async () => {
    const args = ['run', '--quiet', '--agent', 'command', '--idempotency-key', 'once', '--', 'date +%N'];
    const [first, second] = [await home.svc(args), await home.svc(args)];
    expect(first.code).toBe(0);
    expect(second).toEqual(first);
  });

  it('adds piped stdin to the prompt of an agent', async () => {
    const created = await home.svc(['run', '--detach', '--json', 'Review this'], { stdin: 'the change\n' });
    expect(JSON.parse(created.stdout)).toMatchObject({
      task: { title: 'Review this', prompt: 'Review this\n\nthe change' },
    });
  });

  it('does not wait for a stdin without a writer', async () => {
    const { code, stdout } = await home.bash(
      'svc run --detach --quiet hello < /dev/null; svc run -d hello <&-',
    );
    expect({ code, lines: stdout.trim().split('\n').length }).toEqual({ code: 8, lines: 2 });
  });

  it('resolves a unique ID prefix, with or without its kind', async () => {
    const { stdout } = await home.svc(['run', '--quiet', '--agent', 'command', '--', 'echo short']);
    const id = stdout.trim();
    for (const text of [id, id.slice(0, -1), id.slice('task_'.length, -1)]) {
      const shown = await home.svc(['tasks', 'show', text, '--json']);
      expect(JSON.parse(shown.stdout)).toMatchObject({ task: { id, title: 'echo short' } });
    }
  });
});

describe('svc, without a daemon', () => {
  let home: SvcHome;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it.each(rowsWithoutDaemon)('without a daemon, $name: exit $code', (row) => check(home, row));

  it('exits with 78 and names file and line when the settings are invalid', async () => {
    await using broken = await SvcHome.create();
    mkdirSync(broken.folder, { recursive: true });
    const file = join(broken.folder, 'settings.json');
    writeFileSync(file, '{\n  "server": {\n    "port": 1\n');
    for (const args of [['daemon'], ['daemon', 'start'], ['run', '--agent', 'command', '--', 'true']]) {
      const { code, stdout, stderr } = await broken.svc(args);
      expect({ code, stdout }, stderr).toEqual({ code: 78, stdout: '' });
      expect(stderr).toContain(`${file}:`);
    }
  });
});
