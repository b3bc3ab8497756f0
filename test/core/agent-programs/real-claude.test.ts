import { describe } from 'vitest';
import { testRealAgent } from '../../helpers/agents/real/real-agent-tests.ts';
import { isLong } from '../../helpers/long.ts';

describe.runIf(isLong)('svc with Claude Code', () => {
  testRealAgent('claude', {
    afterDenial: 'completed',
    saysReason: true,
    instructions: 'CLAUDE.md',
    usesServers: true,
    resumes: 'always',
  });
});
