import { expect, it } from 'vitest';
import { readyAgent } from '../../../../src/cli/commands/chat/ready-agent.ts';
import type { Client } from '../../../../src/contract/client.ts';

const claude = {
  type: 'claude',
  name: 'Claude Code',
  driver: 'claude',
  configured: true,
  version: '2.1.330',
};
const clientWith = (agent: object) =>
  ({
    agents: {
      list: async () => ({
        agents: [
          { type: 'builtin', configured: true },
          { ...claude, ...agent },
        ],
      }),
    },
  }) as unknown as Client;

it('answers the version of an agent that is ready', async () => {
  expect(await readyAgent(clientWith({}), 'claude')).toBe('2.1.330');
});

it('lets an agent try whose login was refused', async () => {
  const agent = { configured: false, program: '/bin/claude', login: 'not_found' };
  expect(await readyAgent(clientWith(agent), 'claude')).toBe('2.1.330');
});

it('says how to install one that is not there', async () => {
  const agent = { configured: false, login: 'not_found', message: 'It needs Claude Code. Install it: npm' };
  await expect(readyAgent(clientWith(agent), 'claude')).rejects.toMatchObject({
    exitCode: 78,
    message: 'claude cannot answer: it needs Claude Code. Install it: npm',
  });
});

it.each([
  ['clade', 'Did you mean claude?'],
  ['builtin', 'Available: claude.'],
])('refuses %s, which does not answer in conversations', async (name, hint) => {
  await expect(readyAgent(clientWith({}), name)).rejects.toMatchObject({
    exitCode: 6,
    message: `There is no agent "${name}" to chat with. ${hint}`,
  });
});
