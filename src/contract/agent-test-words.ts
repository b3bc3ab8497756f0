import type { AgentTestStep } from './agents.ts';

/** What the test of an agent tries, as people read it. */
export const agentTestWords: Record<AgentTestStep['name'], string> = {
  health: 'Health',
  version: 'Version',
  start: 'Start a session',
  turn: 'One turn',
  denied_call: 'Denied command',
  cancel: 'Cancel',
  stop: 'Stop',
};
