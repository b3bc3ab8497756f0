import { expect, it } from 'vitest';
import { agentChecks } from '../../../../src/cli/commands/doctor/agent-checks.ts';
import type { Agent } from '../../../../src/contract/agents.ts';

const agent = (change: Partial<Agent>): Agent => ({
  type: 'claude',
  name: 'Claude Code',
  description: '',
  capabilities: [],
  driver: 'claude',
  configured: true,
  healthy: true,
  isDefault: false,
  stats: { completed: 0, failed: 0, avgDuration: 0 },
  ...change,
});

const absent = { state: 'not_installed', configured: false, healthy: false, hint: 'Install it' } as const;

it('says nothing about a coding agent that is not installed', () => {
  expect(agentChecks([agent(absent)])).toEqual([]);
});

it.each([
  ['it is the default', { isDefault: true }, 'fail'],
  ['a setting names its program', { programSetting: 'agents.claude.program' }, 'warn'],
] as const)('reports one that was not found if %s', (_, change, status) => {
  expect(agentChecks([agent({ ...absent, ...change })])).toEqual([
    expect.objectContaining({
      status,
      message: expect.stringContaining('was not found'),
      next: 'Install it',
    }),
  ]);
});

it.each([
  ['ready', {}, 'ok', 'claude 2.1.0 is ready'],
  ['needs_login', { hint: 'Run `claude`' }, 'warn', 'claude 2.1.0 needs a login'],
  ['too_old', { healthy: false }, 'warn', 'claude 2.1.0 is too old'],
  ['ready', { message: '2.1.0 is newer' }, 'warn', 'claude 2.1.0 is ready. 2.1.0 is newer'],
  ['unhealthy', { healthy: false, message: 'No answer' }, 'warn', 'claude 2.1.0: No answer'],
] as const)('reports an installed one that is %s %j', (state, change, status, message) => {
  expect(agentChecks([agent({ state, version: '2.1.0', ...change })])).toEqual([
    expect.objectContaining({ name: 'agent', subject: 'claude', status, message }),
  ]);
});
