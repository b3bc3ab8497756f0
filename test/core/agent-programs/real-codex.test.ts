import { describe } from 'vitest';
import { testRealAgent } from '../../helpers/agents/real/real-agent-tests.ts';
import { isLong } from '../../helpers/long.ts';

describe.runIf(isLong)('svc with Codex', () => {
  testRealAgent('codex', {
    afterDenial: 'completed',
    saysReason: false,
    instructions: 'AGENTS.md',
    usesServers: true,
    // It lets a model that it knows search for them.
    modelWithServers: 'm1',
    resumes: 'always',
  });
});
