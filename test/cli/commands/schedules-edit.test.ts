import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Schedule } from '../../../src/contract/schedules.ts';
import { ensureBuilt, hasTerminals, SvcHome } from '../svc-binary.ts';

let home: SvcHome;
beforeAll(async () => {
  ensureBuilt();
  home = await SvcHome.create();
  await home.svc(['daemon', 'start']);
  return () => home[Symbol.asyncDispose]();
});

const add = async (...more: string[]) => {
  const words = ['schedules', 'add', '-q', '0 3 * * *', 'check the backups', '--tz', 'UTC', ...more];
  const { code, stdout, stderr } = await home.svc(words);
  expect(code, stderr).toBe(0);
  return stdout.trim();
};
const edit = (id: string, ...more: string[]) => home.svc(['schedules', 'edit', id, ...more]);
const read = async (id: string) =>
  (JSON.parse((await home.svc(['schedules', 'show', id, '--json'])).stdout) as { schedule: Schedule })
    .schedule;

describe('svc schedules edit with options', () => {
  it('changes what is given, keeps the rest, and says what changed', async () => {
    const id = await add('--label', 'night', '--model', 'gpt-5', '--cwd', '/tmp');
    const { code, stdout, stderr } = await edit(
      id,
      '--cron',
      '0 4 * * *',
      '--label',
      'disk',
      '--unset',
      'model',
      '--overlap',
      'queue',
    );
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${id}\n` });
    expect(stderr).toMatch(/ {2}cron +0 3 \* \* \* → 0 4 \* \* \*\n/);
    expect(stderr).toMatch(/ {2}model +gpt-5 → \(none\)\nNext runs \(UTC\):\n/);
    expect(stderr).toMatch(/ {2}labels +\["night"\] → \["night","disk"\]\n/);
    const { task, ...schedule } = await read(id);
    expect(schedule).toMatchObject({ cron: '0 4 * * *', overlap: 'queue', name: 'check the backups' });
    expect(task).toMatchObject({ cwd: '/tmp', labels: ['night', 'disk'], prompt: 'check the backups' });
    expect(task).not.toHaveProperty('model');
  });

  it('sets and removes variables without showing them', async () => {
    const file = join(home.folder, 'variables');
    writeFileSync(file, 'TOKEN=s3cret\nA=1\n');
    const id = await add('--agent', 'command', '--env-file', file);
    expect((await read(id)).task).toMatchObject({ envNames: ['A', 'TOKEN'] });
    const { stderr } = await edit(id, '--env', 'TOKEN=0ther', '--env', 'B=2', '--unset', 'env.A');
    expect(stderr).toBe(
      'Schedule changed:\n  env.TOKEN  changed\n  env.B      added\n  env.A      removed\n',
    );
    expect((await read(id)).task).toMatchObject({ envNames: ['B', 'TOKEN'] });
    expect((await home.svc(['schedules', 'show', id])).stdout).toMatch(/Variables +B, TOKEN\n/);
  });

  it.each([
    [['--unset', 'cron'], 2, 'cannot be without cron'],
    [['--unset', 'model'], 2, 'has no model. It has: '],
    [['--unset', 'env.X'], 2, 'has no env.X'],
    [['--cron', 'often'], 6, 'cron: "often" has 1 field'],
    [['--env', 'A=1'], 2, 'Only an agent that runs commands'],
    [['--agent', 'comand'], 6, 'Did you mean command?'],
    [[], 2, 'No terminal for an editor'],
  ])('refuses %j', async (options, exitCode, message) => {
    const id = await add();
    const before = await read(id);
    const { code, stderr } = await edit(id, ...options);
    expect({ code, stderr }).toEqual({ code: exitCode, stderr: expect.stringContaining(message) as unknown });
    expect(await read(id)).toEqual(before);
  });

  it('says so where nothing changes', async () => {
    const id = await add();
    expect(await edit(id, '--cron', '0 3 * * *')).toMatchObject({ code: 0, stderr: 'Nothing changed.\n' });
  });
});

describe.skipIf(!hasTerminals)('svc schedules edit in an editor', () => {
  /** An editor that does one after the other each time it is opened, and notes what it was shown. */
  const editorWith = (name: string, ...edits: string[]) => {
    const path = join(home.folder, name);
    const cases = edits.map((each, at) => `${at}) ${each} ;;`).join('\n');
    writeFileSync(
      path,
      `#!/bin/sh\nn=$(cat ${path}.n 2>/dev/null || echo 0)\ncp "$1" ${path}.$n\necho $((n + 1)) > ${path}.n\ncase $n in\n${cases}\nesac\n`,
    );
    chmodSync(path, 0o755);
    return path;
  };
  const editWith = async (id: string, editor: string) => {
    const { exitCode, stdout } = await home.startOnTerminal(['schedules', 'edit', id], {
      env: { EDITOR: editor },
    });
    return { exitCode, screen: stdout.replaceAll('\r\n', '\n') };
  };

  it('saves what the editor saved', async () => {
    const id = await add('--cwd', '/tmp');
    const editor = editorWith(
      'once',
      `sed -i -e 's/^cron: .*/cron: 0 5 * * */' -e '/^cwd:/d' "$1"; echo more >> "$1"`,
    );
    const { exitCode, screen } = await editWith(id, editor);
    expect(exitCode).toBe(0);
    expect(screen).toContain('0 3 * * * → 0 5 * * *');
    const { cron, task } = await read(id);
    expect({ cron, task }).toMatchObject({ cron: '0 5 * * *', task: { prompt: 'check the backups\nmore' } });
    expect(task).not.toHaveProperty('cwd');
  });

  it('opens the text again with what is wrong, until it is right', async () => {
    const id = await add();
    const editor = editorWith(
      'thrice',
      `sed -i 's/^cron: /corn: /' "$1"`,
      `sed -i 's/^corn: .*/cron: often/' "$1"`,
      `grep -q '^# Error: Invalid input: cron: "often"' "$1" && sed -i 's/^cron: .*/cron: 0 6 * * */' "$1"`,
    );
    expect((await editWith(id, editor)).exitCode).toBe(0);
    expect((await read(id)).cron).toBe('0 6 * * *');
  });

  it('changes nothing where the text was left as it is, valid or not', async () => {
    const id = await add();
    expect(await editWith(id, 'true')).toMatchObject({
      exitCode: 0,
      screen: expect.stringContaining('Nothing changed.') as unknown,
    });
    const editor = editorWith('wrong', `sed -i 's/^cron: /corn: /' "$1"`, 'true');
    expect(await editWith(id, editor)).toMatchObject({
      exitCode: 6,
      screen: expect.stringContaining('There is no field "corn". Did you mean cron?') as unknown,
    });
    expect((await read(id)).cron).toBe('0 3 * * *');
  });
});
