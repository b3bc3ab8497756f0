import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { PresetName } from '../../../../src/contract/agents.ts';
import { scriptedModels } from '../../../helpers/agents/real/isolated-world.ts';
import type { McpTransport } from '../../../helpers/agents/real/mcp-clients.ts';
import { findAgent } from '../../../helpers/agents/real/pinned-agents.ts';
import { runAsClient } from '../../../helpers/agents/real/run-as-client.ts';
import { isLong } from '../../../helpers/long.ts';
import { ensureBuilt } from '../../svc-binary.ts';

const scripted = (...steps: object[]) => `Do it. <<SCRIPT ${JSON.stringify(steps)} >>`;
const call = (tool: string, args: object) => ({ mcp: ['svc', tool, args] });
const prompts = [
  scripted(call('create_task', { prompt: 'echo made by a model', assignedAgent: 'command' }), {
    say: 'Created.',
  }),
  scripted(call('wait_for_task', { id: 'TASK' }), { say: 'Finished.' }),
];
const agents: PresetName[] = ['claude', 'codex', 'gemini', 'opencode'];
const transports: McpTransport[] = ['stdio', 'http'];

describe.runIf(isLong && existsSync(scriptedModels))('a real agent with svc as an MCP server', () => {
  beforeAll(() => ensureBuilt(), 120_000);

  describe.each(agents)('%s', (agent) => {
    const program = isLong ? findAgent(agent) : undefined;
    it.skipIf(program === undefined).each(transports)(
      'creates a task and waits for it over %s',
      async (transport) => {
        const { runs, tasks, seen } = await runAsClient({
          agent,
          program: program ?? '',
          transport,
          prompts,
        });
        const told = JSON.stringify({ runs, tools: seen.map(({ tools }) => tools) }).slice(0, 5000);
        expect(tasks, told).toMatchObject([{ status: 'completed', result: { output: 'made by a model\n' } }]);
        expect(runs.map(({ stdout }) => stdout).join('\n'), told).toMatch(/Created\.[^]*Finished\./);
        // What the model is given of the results.
        const results = seen.flatMap((request) => request.results).join('\n');
        expect(results).toContain(tasks[0]?.id);
        expect(results).toContain('made by a model');
      },
      300_000,
    );
  });
});
