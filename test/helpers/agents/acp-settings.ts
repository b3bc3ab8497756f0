import { fileURLToPath } from 'node:url';

const script = fileURLToPath(new URL('acp-program.ts', import.meta.url));

interface AddedAgent {
  program: string;
  args: string[];
  env: Record<string, string>;
}

/** An entry of the setting `agents.added`: the agent of `acp-program.ts`, with these flags of it. */
export const acpProgram = (...flags: string[]): AddedAgent => ({
  program: process.execPath,
  args: [script, ...flags],
  env: {},
});

/** The flags of a daemon that has these agents. */
export const withAgents = (
  agents: Record<string, Partial<AddedAgent> & Pick<AddedAgent, 'program'>>,
): { 'agents.added': Record<string, AddedAgent> } => ({
  'agents.added': Object.fromEntries(
    Object.entries(agents).map(([name, agent]) => [name, { args: [], env: {}, ...agent }]),
  ),
});
