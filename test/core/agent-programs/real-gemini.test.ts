import { describe } from 'vitest';
import { testRealAgent } from '../../helpers/agents/real/real-agent-tests.ts';
import { isLong } from '../../helpers/long.ts';

describe.runIf(isLong)('svc with Gemini CLI', () => {
  testRealAgent('gemini', {
    afterDenial: 'completed',
    saysReason: false,
    instructions: 'AGENTS.md',
    usesServers: false,
    resumes: 'at times',
  });
});
