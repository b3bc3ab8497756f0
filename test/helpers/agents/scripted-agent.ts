import type { Flags } from '../../../src/core/config/config.ts';

const script = new URL('scripted-acp-agent.ts', import.meta.url).pathname;

/** What came of a line of the prompt. */
export interface ScriptedLine {
  command: string;
  refused?: true;
  exitCode?: number;
  output?: string;
}

/** The settings with which the agent `scripted` does what its prompt says. */
export const scriptedAgent: Flags = {
  'agents.added': { scripted: { program: process.execPath, args: [script], env: {} } },
};

/** What came of the lines of its prompt, as the output of a task has it. */
export const scriptedLines = (output: string | undefined): ScriptedLine[] =>
  output ? (JSON.parse(output) as ScriptedLine[]) : [];
