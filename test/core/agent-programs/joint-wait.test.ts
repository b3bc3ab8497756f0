import { expect, it } from 'vitest';
import { JointWait } from '../../../src/core/agent-programs/joint-wait.ts';

it('makes one wait of questions that are open together, which ends with the last of them', async () => {
  const log: string[] = [];
  const wait = new JointWait(async (decision) => {
    log.push('waits');
    const decided = await decision();
    log.push('works');
    return decided;
  });
  const [first, second] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const answers = [wait.during(() => first.promise), wait.during(() => second.promise)];
  expect(wait.isOpen).toBe(true);
  first.resolve('a');
  expect(await answers[0]).toBe('a');
  expect(log).toEqual(['waits']);
  second.resolve('b');
  expect(await answers[1]).toBe('b');
  expect(log).toEqual(['waits', 'works']);
  await wait.during(async () => undefined);
  expect(log).toEqual(['waits', 'works', 'waits', 'works']);
});

it('fails the last question where the run may not work again', async () => {
  const wait = new JointWait(async (decision) => {
    await decision();
    throw new Error('stopped');
  });
  await expect(wait.during(async () => 'a')).rejects.toThrow('stopped');
});
