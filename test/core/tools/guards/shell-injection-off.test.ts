import { z } from 'zod';
import { expect, it } from 'vitest';
import { shellInjectionGuard } from '../../../../src/core/tools/guards/shell-injection.ts';
import { noSandbox, toolOf } from '../commands/command-setup.ts';
import { openGate } from '../gate-setup.ts';

const guards = [shellInjectionGuard];
const command = 'ls; id';

it('lets shell syntax through to an MCP server only while the guard is off', async () => {
  await using open = await openGate({ server: 'x', input: z.looseObject({}) }, guards);
  const run = open.runOf({ mode: 'full' });
  expect(await open.call({ args: { command } }, run)).toMatchObject({
    result: { success: false, content: expect.stringContaining('(guard shell-injection)') },
  });
  await open.policy.setGuard('shell-injection', false, {});
  expect(await open.call({ args: { command } }, run)).toMatchObject({ result: { success: true } });
});

it('leaves run_command without a shell while the guard is off', async () => {
  const tool = toolOf({ workspace: '/tmp', sandbox: noSandbox(), mayRunCommands: true });
  await using open = await openGate(tool, guards);
  await open.policy.setGuard('shell-injection', false, {});
  const answer = await open.call({ args: { command } }, open.runOf({ mode: 'full', mayRunCommands: true }));
  expect(answer).toMatchObject({
    result: { success: false, content: expect.stringContaining('There is no shell here') },
  });
});
