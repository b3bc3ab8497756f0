import { describe } from 'vitest';
import { testRealAgent } from '../../helpers/agents/real/real-agent-tests.ts';
import { isLong } from '../../helpers/long.ts';

describe.runIf(isLong)('svc with opencode', () => {
  testRealAgent('opencode', {
    afterDenial: 'policy_denied',
    saysReason: false,
    instructions: 'AGENTS.md',
    usesServers: true,
    resumes: 'always',
  });
});
