import { describe, expect, it } from 'vitest';
import { commandAdapter } from '../../../../src/core/agents/adapters/command-adapter.ts';
import { startDaemon } from '../../../helpers/daemon.ts';
import { follow } from '../../../helpers/tasks.ts';
import { outputOf, runCommand, startCommand, waitUntilGone } from '../run-command.ts';

describe('the outcome of a command', () => {
  it.each([
    ['exit 0', 'completed', undefined],
    ['exit 1', 'failed', { class: 'command_failed', code: 'exit_1' }],
    ['exit 255', 'failed', { class: 'command_failed', code: 'exit_255' }],
    ['/dev/null', 'failed', { class: 'invalid_input', code: 'exit_126' }],
    ['no-such-program-anywhere', 'failed', { class: 'invalid_input', code: 'exit_127' }],
    ['if then', 'failed', { class: 'command_failed', code: 'exit_2' }],
    ['kill -SEGV $$', 'failed', { class: 'agent_crash', code: 'sigsegv' }],
    ['kill -KILL $$', 'failed', { class: 'agent_crash', code: 'sigkill' }],
  ])('a task with the command "%s" is %s', async (command, status, error) => {
    await using daemon = await startDaemon();
    const { task } = await runCommand(daemon, command);
    expect(task.status).toBe(status);
    if (error) expect(task.error).toMatchObject(error);
    else expect(task.error).toBeUndefined();
    await waitUntilGone(task.id);
  });

  it('a failed command reports the last line of stderr and its stdout', async () => {
    await using daemon = await startDaemon();
    const { task } = await runCommand(daemon, 'echo half; echo first >&2; echo "the reason" >&2; exit 3');
    expect(task.error).toMatchObject({ code: 'exit_3' });
    expect(task.error?.message).toBe('The command ended with exit code 3: the reason');
    expect(task.result).toMatchObject({ success: false, output: 'half\n' });
  });

  it('a command without output completes with an empty result', async () => {
    await using daemon = await startDaemon();
    const { task, events } = await runCommand(daemon, 'true');
    expect(task.result).toMatchObject({ success: true, output: '' });
    expect(events.map(({ type }) => type)).toEqual(['created', 'queued', 'started', 'completed']);
  });

  it('waits for a command that closes its outputs and keeps running', async () => {
    await using daemon = await startDaemon();
    const { task } = await runCommand(daemon, 'echo before; exec >&- 2>&-; sleep 0.3; exit 4');
    expect(task.error).toMatchObject({ code: 'exit_4' });
    expect(task.result?.output).toBe('before\n');
    expect(task.result?.duration).toBeGreaterThanOrEqual(290);
  });
});

describe('a command that cannot be run', () => {
  const unrunnable: [string, string, string][] = [
    ['is longer than one argument may be', `: ${'x'.repeat(131_072)}`, 'command_too_long'],
    ['is blank', ' \n\t', 'no_command'],
  ];
  it.each(unrunnable)('fails a command that %s', async (_, command, code) => {
    await using daemon = await startDaemon();
    const { task } = await runCommand(daemon, command);
    expect(task).toMatchObject({ status: 'failed', error: { class: 'invalid_input', code } });
  });

  it('the API and the agent refuse a command with a NUL', async () => {
    await using daemon = await startDaemon();
    await expect(runCommand(daemon, 'echo a\0b')).rejects.toMatchObject({ status: 400 });
    const { task } = await daemon.client.tasks.create({ body: { title: 'Nobody runs this' } });
    const run = commandAdapter({ env: {}, configured: () => ({}), installation: 'test' }).execute({
      task: { ...task, prompt: 'echo a\0b' },
      attempt: 1,
      runKey: '1/1',
      signal: new AbortController().signal,
      environment: () => ({}),
      openOutput: async () => ({ write: async () => undefined }),
      workspace: async () => daemon.home,
      emit: () => undefined,
      usedBy: { userId: 'user_1' },
      spend: () => undefined,
      publishOutput: () => undefined,
      whileWaiting: (decision) => decision(),
    });
    await expect(run).rejects.toMatchObject({ failure: 'invalid_input', code: 'bad_command' });
  });

  it('runs a command of exactly the maximum length', async () => {
    await using daemon = await startDaemon();
    const start = 'echo ok # ';
    const { task } = await runCommand(daemon, start + 'x'.repeat(131_071 - start.length));
    expect(task.result?.output).toBe('ok\n');
  });

  it('fails a task whose working directory does not exist', async () => {
    await using daemon = await startDaemon();
    const { task } = await runCommand(daemon, 'pwd', { cwd: `${daemon.home}/nowhere` });
    expect(task.error).toMatchObject({ class: 'invalid_input', code: 'no_folder' });
  });
});

describe('the environment of a command', () => {
  it('a command has its own directory, which is removed when it is empty', async () => {
    await using daemon = await startDaemon();
    const empty = await runCommand(daemon, 'pwd');
    const folder = empty.task.result?.output.trim() ?? '';
    expect(folder).toContain(empty.task.id);
    const full = await runCommand(daemon, 'echo kept > file; pwd');
    const again = await runCommand(daemon, `cat ${full.task.result?.output.trim()}/file; ls ${folder}`);
    expect(again.task.result?.output).toBe('kept\n');
    expect(again.task.status).toBe('failed');
  });

  it('a command runs in the directory that the task names', async () => {
    await using daemon = await startDaemon();
    const { task } = await runCommand(daemon, 'pwd', { cwd: daemon.home });
    expect(task.result?.output).toBe(`${daemon.home}\n`);
  });

  it('a command gets only the allowed variables of the daemon', async () => {
    const secrets = { AGENT_API_KEY: 'planted-secret-1', SVC_TOKEN: 'planted-secret-2', LD_PRELOAD: '' };
    await using daemon = await startDaemon({ env: { ...secrets, LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8' } });
    const { task, events } = await runCommand(
      daemon,
      'env; cat /proc/self/environ /proc/$PPID/environ | tr "\\0" "\\n"',
    );
    const output = task.result?.output ?? '';
    expect(output + outputOf(events)).not.toContain('planted-secret');
    expect(output).toContain('LANG=C.UTF-8');
    const own = await runCommand(daemon, 'env | cut -d= -f1 | sort | tr "\\n" " "');
    expect(own.task.result?.output.trim().split(' ')).toEqual(
      expect.arrayContaining(['HOME', 'LANG', 'LC_ALL', 'PATH', 'SVC_RUN', 'SVC_TASK_ID']),
    );
    expect(own.task.result?.output).not.toMatch(/AGENT_API_KEY|SVC_TOKEN|NODE_|VITEST/);
  });

  it('a command has an empty stdin and no open file of the daemon', async () => {
    await using daemon = await startDaemon();
    const { task } = await runCommand(daemon, 'cat; ls -l /proc/self/fd; echo ok');
    expect(task.result?.output).toMatch(/ok\n$/);
    expect(task.result?.output).not.toContain(daemon.home);
  });
});

describe('the output of a command', () => {
  it('the output becomes events per stream while the command runs', async () => {
    await using daemon = await startDaemon();
    const { task, events } = await runCommand(daemon, 'echo to out; echo to err >&2');
    expect(outputOf(events, 'stdout')).toBe('to out\n');
    expect(outputOf(events, 'stderr')).toBe('to err\n');
    expect(task.result?.output).toBe('to out\n');
  });

  it('decodes output that is not UTF-8 or splits a character', async () => {
    await using daemon = await startDaemon();
    const { task, events } = await runCommand(
      daemon,
      String.raw`printf 'a\377\376b\n'; printf '\303'; sleep 0.2; printf '\244 \360\237'; sleep 0.2; printf '\230\200\n'; printf 'end\342\202'`,
    );
    expect(task.result?.output).toBe('a��bä 😀\nend�'.replace('bä', 'b\nä'));
    expect(outputOf(events)).toBe('a��b\nä 😀\nend�');
  });

  it('keeps NULs and control characters of the output', async () => {
    await using daemon = await startDaemon();
    const { task } = await runCommand(daemon, String.raw`printf 'a\0b\033[31m\001'`);
    expect(task.result?.output).toBe('a\ufffdb\u001b[31m\u0001');
  });

  it('keeps head and tail of long output with a marker between them', async () => {
    await using daemon = await startDaemon();
    // Three bytes each, so that both cuts fall into a character.
    const { task, events } = await runCommand(
      daemon,
      `echo START; node -e 'process.stdout.write("€".repeat(1e6))'; echo; echo THE END`,
    );
    const output = task.result?.output ?? '';
    const [head = '', tail = ''] = output.split(/\n\[… \d+ bytes left out …\]\n/);
    expect(head.startsWith('START\n€€')).toBe(true);
    expect(tail.endsWith('€€\nTHE END\n')).toBe(true);
    expect(tail.startsWith('€')).toBe(true);
    expect(Buffer.byteLength(output)).toBeLessThan(1024 * 1024 + 200);
    expect(outputOf(events)).toContain('the rest is in the output of the task');
  });
});

describe('retries of a command', () => {
  it('retries a crashed command and counts the attempts', async () => {
    await using daemon = await startDaemon();
    const { task } = await daemon.client.tasks.create({
      body: {
        title: 'Works the third time',
        assignedAgent: 'command',
        prompt: 'case "$SVC_RUN" in */3) echo ok;; */2) kill -KILL $$;; *) exit 1;; esac',
        retryOnFailure: true,
      },
    });
    const { task: ended, events } = await follow(daemon.client, task.id);
    expect(ended).toMatchObject({ status: 'completed', attempts: 3, result: { output: 'ok\n' } });
    const codes = events.filter(({ type }) => type === 'retry_scheduled').map(({ data }) => data['code']);
    expect(codes).toEqual(['exit_1', 'sigkill']);
  });

  it('runs a command that exits with an error only once, unless it has attempts of its own', async () => {
    await using daemon = await startDaemon();
    const attemptsOf = async (body: { maxAttempts?: number; retryOnFailure?: boolean }) => {
      const { task } = await daemon.client.tasks.create({
        body: { title: 'Fails', assignedAgent: 'command', prompt: 'exit 1', ...body },
      });
      const { task: ended } = await follow(daemon.client, task.id);
      expect(ended, ended.error?.message).toMatchObject({
        status: 'failed',
        error: { class: 'command_failed', code: 'exit_1' },
      });
      return ended.attempts;
    };
    expect(await attemptsOf({})).toBe(1);
    expect(await attemptsOf({ maxAttempts: 2 })).toBe(2);
    expect(await attemptsOf({ maxAttempts: 2, retryOnFailure: false })).toBe(1);
  });

  it('leaves no dead letter and no notification of a failed task whose client follows it', async () => {
    await using daemon = await startDaemon();
    for (const attached of [true, false]) {
      const { task } = await daemon.client.tasks.create({
        body: { title: 'Fails', assignedAgent: 'command', prompt: 'exit 1', attached },
      });
      const { events } = await follow(daemon.client, task.id);
      expect(events.some(({ type }) => type === 'dead_lettered')).toBe(!attached);
      const { items } = await daemon.client.dlq.list();
      expect(items.map(({ taskId }) => taskId)).toEqual(attached ? [] : [task.id]);
      const { notifications } = await daemon.client.notifications.list();
      expect(notifications.map(({ taskId }) => taskId)).toEqual(attached ? [] : [task.id]);
    }
  });

  it('gives every run its own SVC_RUN, also after a retry from the dead-letter queue', async () => {
    await using daemon = await startDaemon();
    const prompt = 'echo "$SVC_RUN"; exit 1';
    const { task } = await daemon.client.tasks.create({
      body: { title: 'Fails', assignedAgent: 'command', prompt, maxAttempts: 1 },
    });
    const marks: string[] = [];
    for (let round = 0; round < 3; round++) {
      const { task: failed } = await follow(daemon.client, task.id);
      expect(failed).toMatchObject({ status: 'failed', attempts: 1 });
      marks.push(failed.result?.output ?? '');
      const { items } = await daemon.client.dlq.list();
      await daemon.client.dlq.retry({ params: { id: items[0]?.id ?? '' } });
    }
    expect(marks.every((mark) => mark.includes(task.id))).toBe(true);
    expect(new Set(marks).size).toBe(3);
  });

  it('does not retry a command where the outcome would not change', async () => {
    await using daemon = await startDaemon();
    const id = await startCommand(daemon, 'no-such-program-anywhere');
    const { task } = await follow(daemon.client, id);
    expect(task.attempts).toBe(1);
  });
});
