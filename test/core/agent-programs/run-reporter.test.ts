import { expect, it } from 'vitest';
import { RunReporter } from '../../../src/core/agent-programs/run-reporter.ts';
import type { AgentCall } from '../../../src/core/agents/drivers/driver.ts';

const call = (id: string, status: AgentCall['status']): AgentCall => ({
  id,
  kind: 'shell',
  name: 'Bash',
  title: 'ls',
  input: { command: 'ls' },
  status,
});

it('knows that a call runs until its end, or until the agent says more although the end was lost', () => {
  const reporter = new RunReporter(
    () => undefined,
    () => '/work',
  );
  reporter.addCall(call('a', 'in_progress'), 'run_command');
  reporter.addCall(call('b', 'in_progress'), 'run_command');
  reporter.addCall(call('a', 'completed'), 'run_command');
  expect(reporter.isCalling).toBe(true);
  reporter.addText('Next, ');
  expect(reporter.isCalling).toBe(false);
  reporter.addCall(call('c', 'in_progress'), 'run_command');
  expect(reporter.isCalling).toBe(true);
});

it('counts a call that the agent has to ask for as running from its permission to its end', async () => {
  const reporter = new RunReporter(
    () => undefined,
    () => '/work',
    ['shell'],
  );
  const asked = call('a', 'in_progress');
  reporter.addCall(asked, 'run_command');
  expect(reporter.isCalling).toBe(false);
  const end = reporter.endOf('a', new AbortController().signal);
  expect(reporter.isCalling).toBe(true);
  reporter.addCall({ ...asked, status: 'completed', output: 'done' }, 'run_command');
  await expect(end).resolves.toMatchObject({ content: 'done' });
  expect(reporter.isCalling).toBe(false);
  reporter.addCall({ ...call('b', 'in_progress'), kind: 'other', name: 'Task' }, 'claude__Task');
  expect(reporter.isCalling).toBe(true);
});
