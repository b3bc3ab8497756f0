import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt, type Outcome, SvcHome } from './svc-binary.ts';

/** The only thing on stderr. */
const errorOf = ({ stderr }: Outcome): unknown => {
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  return (JSON.parse(stderr) as { error: unknown }).error;
};

describe('an error of a command with --json', () => {
  let home: SvcHome;
  beforeAll(async () => {
    ensureBuilt();
    home = await SvcHome.create();
    await home.svc(['daemon', 'start']);
  });
  afterAll(() => home[Symbol.asyncDispose]());

  it('is a JSON object with a code, a message, a hint and the exit code', async () => {
    const outcome = await home.svc(['tasks', 'ls', '--json', '--url', 'http://127.0.0.1:1']);
    expect(outcome).toMatchObject({ code: 69, stdout: '' });
    expect(errorOf(outcome)).toEqual({
      code: 'unreachable',
      message: 'No daemon at http://127.0.0.1:1.',
      hint: expect.stringContaining('svc context ls') as unknown,
      exitCode: 69,
    });
  });

  it.each([
    [['tasks', 'ls', '--json', '--limt', '3'], 'Unknown option', 'See: svc tasks ls --help'],
    [['tasks', 'ls', '--limit', 'many', '--json'], 'whole number', 'See: svc tasks ls --help'],
    [['tasks', 'shw', '--json', 'x'], 'Unknown', 'See: svc tasks --help'],
    [['run', '--jsonl'], 'Missing prompt', 'Example: svc run'],
    [['schedules', 'add', 'often', '--json'], 'quoted cron expression', 'Example: svc schedules add'],
  ])('tells of wrong usage in the same form: svc %j', async (words, message, hint) => {
    const outcome = await home.svc(words);
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(errorOf(outcome)).toEqual({
      code: 'usage',
      message: expect.stringContaining(message) as unknown,
      hint: expect.stringContaining(hint) as unknown,
      exitCode: 2,
    });
  });

  it('is one line per id where a command takes several', async () => {
    const { code, stderr } = await home.svc(['tasks', 'cancel', 'task_none', 'task_other', '--json']);
    expect(code).toBe(5);
    const errors = stderr.trimEnd().split('\n');
    expect(errors.map((line) => (JSON.parse(line) as { error: { code: string } }).error.code)).toEqual([
      'not_found',
      'not_found',
    ]);
  });

  it('carries the chain of causes with --debug', async () => {
    const outcome = await home.svc(['tasks', 'ls', '--json', '--debug', '--url', 'http://127.0.0.1:1']);
    expect(errorOf(outcome)).toMatchObject({ cause: expect.stringContaining('ECONNREFUSED') as unknown });
  });

  it('stays a line for people where --json is text of the user', async () => {
    const { code, stderr } = await home.svc(['run', '--agent', 'nobody', '--', 'explain', '--json']);
    expect({ code, stderr }).toEqual({ code: 6, stderr: expect.stringMatching(/^svc: There is no agent/) });
    const titled = await home.svc(['tasks', 'create', '--title', '--json', '--limt']);
    expect(titled).toMatchObject({ code: 2, stderr: expect.stringMatching(/^svc: Unknown option/) });
  });
});
