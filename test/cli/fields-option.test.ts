import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadNouns } from '../../src/cli/program/program.ts';
import type { CommandSpec } from '../../src/cli/program/define-command.ts';
import { ensureBuilt, SvcHome } from './svc-binary.ts';

const all = (specs: readonly CommandSpec[]): CommandSpec[] =>
  specs.flatMap((spec) => [spec, ...all(spec.commands)]);

describe('--fields', () => {
  let home: SvcHome;
  let id: string;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
    const run = await home.svc(['run', '--agent', 'command', '--json', '--fields', 'id', '--', 'exit 3']);
    ({
      task: { id },
    } = JSON.parse(run.stdout) as { task: { id: string } });
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it('is an option of every command with --json', async () => {
    for (const { options } of all(await loadNouns([]))) {
      const names = options.map(({ name }) => name);
      expect(names.includes('fields'), names.join()).toBe(names.includes('json'));
    }
  });

  it('prints JSON with these fields, which a list need not show otherwise', async () => {
    const { code, stdout } = await home.svc(['tasks', 'ls', '--fields', 'prompt,error.class']);
    expect({ code, answer: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      answer: { tasks: [{ prompt: 'exit 3', error: { class: 'command_failed' } }] },
    });
    const paged = await home.svc(['tasks', 'ls', '--all', '--fields', 'id,total']);
    expect(JSON.parse(paged.stdout)).toEqual({ tasks: [{ id }], total: 1 });
  });

  it('picks from every line of a stream', async () => {
    const { stdout } = await home.svc(['tasks', 'logs', id, '--fields', 'type']);
    expect(stdout).toBe('{"type":"created"}\n{"type":"queued"}\n{"type":"started"}\n{"type":"failed"}\n');
  });

  it('refuses an unknown field before it starts a run', async () => {
    const { code, stderr } = await home.svc(['run', '--agent', 'command', '--fields', 'titel', '--', 'true']);
    expect({ code, error: JSON.parse(stderr) as unknown }).toMatchObject({
      code: 2,
      error: { error: { code: 'usage', message: 'There is no field "titel". Did you mean title?' } },
    });
    const { stdout } = await home.svc(['tasks', 'ls', '--fields', 'total']);
    expect(JSON.parse(stdout)).toEqual({ total: 1 });
    expect(await home.svc(['tasks', 'ls', '--fields', 'id,,title'])).toMatchObject({ code: 2 });
  });
});
