import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Origin } from '../../../../src/contract/experiences.ts';
import { AppError } from '../../../../src/core/errors.ts';
import { checkWrite } from '../../../../src/core/memory/learned/write-gate.ts';
import { sized } from '../../../helpers/long.ts';

const person: Origin = { kind: 'user', userId: 'user_ann', trusted: true };
const run: Origin = { kind: 'task', userId: 'user_ann', taskId: 'task_1', trusted: false };

const experience = (
  {
    intent = 'Fix the flaky login test',
    solution = ['Wait for the event, not for a time'],
    tags = ['test'],
  } = {},
  origin = person,
  duplicate?: string,
) => checkWrite({ kind: 'experience', intent, solution, tags, origin, findDuplicate: async () => duplicate });
const preference = (value: string, category = 'style', origin = person) =>
  checkWrite({ kind: 'preference', category, value, origin });

const refusal = (code: string, message: RegExp) => ({ code, message: expect.stringMatching(message) });
const tooLittle = refusal('validation', /too little/);

describe('an experience', () => {
  it.each([
    ['Fix the flaky login test', ['Wait for the event']],
    ['x', ['y']],
    ['修复登录测试', ['等待事件']],
    ['Upgrade', ['npm ci', 'Done.']],
    ['How do I sign in with C++?', ['Use libcurl']],
    ['Deploy 🚀 to production', ['svc deploy --now']],
    ['Wave the flag 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', ['Paint it']],
    ['نشر التطبيق', ['شغّل الأمر']],
  ])('accepts an experience of a person: %s', async (intent, solution) => {
    await expect(experience({ intent, solution })).resolves.toBeUndefined();
  });

  it.each([
    ['Fix the flaky login test', ['Task completed successfully']],
    ['Fix the flaky login test', ['Done.']],
    ['Fix the flaky login test', ['The task has been completed successfully.', 'All done!']],
    ['Fix the flaky login test', ["I've completed the task. Let me know if you need anything else!"]],
    ['Fix the flaky login test', ['Everything works as expected now', 'No issues were found.']],
    ['Fix the flaky login test', ['It works']],
    ['Fix the flaky login test', ['ok', 'Thank you!', 'N/A']],
    ['Fix the flaky login test', ['...', '!!!', '—']],
    ['Fix the flaky login test', ['🎉🎉']],
    ['Fix the flaky login test', ['do it for the']],
    ['Done', ['Wait for the event']],
    ['Task completed', ['Wait for the event']],
    ['the of and', ['Wait for the event']],
    ['???', ['Wait for the event']],
  ])('rejects an experience that says nothing: %s %j', async (intent, solution) => {
    await expect(experience({ intent, solution })).rejects.toMatchObject(tooLittle);
  });

  it.each([
    ['Deploy', ['Run the deploy script']],
    ['Fix the build', ['npm']],
    ['Fix the build', ['Retry.', 'Task completed successfully.']],
  ])('requires more of an experience from a run: %s %j', async (intent, solution) => {
    await expect(experience({ intent, solution })).resolves.toBeUndefined();
    await expect(experience({ intent, solution }, run)).rejects.toMatchObject(tooLittle);
  });

  it('accepts an informative experience of a run', async () => {
    await expect(experience({}, run)).resolves.toBeUndefined();
    await expect(
      experience({ intent: 'Fix the build', solution: ['read_file', 'edit_file'] }, run),
    ).resolves.toBeUndefined();
  });

  it('rejects a duplicate experience with the id of the known one', async () => {
    await expect(experience({}, person, 'exp_1')).rejects.toMatchObject(refusal('conflict', /exp_1/));
  });

  it.each([
    ['intent', { intent: 'Connect with password=hunter2 to the database' }],
    ['a step', { solution: ['Open the console', 'Enter password=hunter2'] }],
    ['a tag', { tags: ['password=hunter2'] }],
    ['two steps', { solution: ['Authorization:', 'Bearer hunter2hunter2'] }],
  ])('rejects a secret in %s from everyone without repeating it', async (_, change) => {
    for (const origin of [person, run]) {
      const failure: unknown = await experience(change, origin).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(AppError);
      expect(failure).toMatchObject(refusal('validation', /seems to contain/));
      expect(JSON.stringify([String(failure), failure])).not.toContain('hunter2');
    }
  });

  it('rejects a model talking about itself', async () => {
    await expect(
      experience({ solution: ['As an AI language model, I cannot do this'] }),
    ).rejects.toMatchObject(refusal('validation', /about itself/));
  });

  it.each(['\u0000', '\u001b[31m', '\u0085', '\u202e', '\u2066', '\u{e0041}', '\ud800'])(
    'rejects the character %j',
    async (sign) => {
      const args = { intent: `Fix the ${sign}login test` };
      await expect(experience(args)).rejects.toMatchObject(refusal('validation', /control characters/));
      await expect(preference(`tabs${sign}`)).rejects.toMatchObject(refusal('validation', /control/));
    },
  );

  it('accepts line breaks and tabs', async () => {
    await expect(experience({ solution: ['Run:\r\n\tnpm ci'] })).resolves.toBeUndefined();
  });
});

describe('a preference', () => {
  it.each(['tabs', '2', 'no', 'yes', 'none', '😀', '日本語', 'C++', 'to the point', 'Done means deployed'])(
    'accepts the preference %s',
    async (value) => {
      await expect(preference(value)).resolves.toBeUndefined();
      await expect(preference(value, 'style', run)).resolves.toBeUndefined();
    },
  );

  it.each(['…', '---', 'Task completed successfully.'])(
    'rejects a preference that says nothing: %s',
    async (value) => {
      await expect(preference(value)).rejects.toMatchObject(tooLittle);
    },
  );

  it('rejects a preference whose category and value form a secret', async () => {
    await expect(preference('hunter2!', 'password')).rejects.toMatchObject(refusal('validation', /password/));
    await expect(preference('1Password', 'password manager')).resolves.toBeUndefined();
  });
});

it('accepts or rejects any text without another error', async () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 80 });
  await fc.assert(
    fc.asyncProperty(text, fc.array(text, { minLength: 1, maxLength: 3 }), async (intent, solution) => {
      const failure: unknown = await experience({ intent, solution }).catch((error: unknown) => error);
      if (failure !== undefined) expect(failure).toBeInstanceOf(AppError);
    }),
    { numRuns: sized(100, 500) },
  );
});
