import { resolve } from 'node:path';
import type { AgentNeed } from '../../../contract/agents.ts';
import type { Client } from '../../../contract/client.ts';
import type { MemoryScopeName } from '../../../contract/memory.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { closest } from '../../../contract/closest.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import { workOf, type WorkOptions } from '../tasks/work-of.ts';
import type { OnApproval } from './on-approval.ts';
import { configurationError } from './configuration-error.ts';
import { readPrompt, titleOf } from './read-prompt.ts';
import { type EnvironmentOptions, environmentOf } from './task-environment.ts';

export interface RunOptions extends WorkOptions, EnvironmentOptions {
  agent?: string;
  cwd?: string;
  detach?: boolean;
  /** Milliseconds. */
  timeout?: number;
  idempotencyKey?: string;
  attempts?: number;
  priority?: number;
  title?: string;
  label?: string[];
  mode?: SecurityMode;
  memory?: MemoryScopeName;
  onApproval?: OnApproval;
  allowRefusals?: boolean;
  outputLastMessage?: string;
  json?: boolean;
  jsonl?: boolean;
  quiet?: boolean;
}

/** Sends the task that the command line describes. */
export async function createTask(cli: Cli, words: string[], options: RunOptions) {
  const { agent, idempotencyKey } = options;
  const connection = cli.connect();
  const needs = asker(connection.client, agent);
  const prompt = await readPrompt(words, async () => !(await needs()).includes('command'));
  const cwd = folderFor(options, connection.target.isLocal, await needs());
  const creation = connection.client.tasks.create({
    body: {
      title: options.title ?? titleOf(prompt),
      prompt,
      ...(agent !== undefined && { assignedAgent: agent }),
      ...(cwd !== undefined && { cwd }),
      ...environmentOf(options, { env: cli.platform.env, isLocal: connection.target.isLocal }, await needs()),
      ...(options.priority !== undefined && { priority: options.priority }),
      ...(options.attempts !== undefined && { maxAttempts: options.attempts }),
      // This process follows the task and ends with its outcome.
      ...(options.detach !== true && { attached: true }),
      ...(options.label && { labels: options.label }),
      ...(options.memory !== undefined && { memoryScope: options.memory }),
      ...(options.mode !== undefined && { securityMode: options.mode }),
      ...workOf(options),
    },
    headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
  });
  return creation.catch((error: unknown) => {
    throw configurationError(error) ?? error;
  });
}

/** Asks the daemon at most once what the agent needs; rejects as `requireAgent` does. */
export function asker(client: Client, agent: string | undefined): () => Promise<AgentNeed[]> {
  let asked: Promise<AgentNeed[]> | undefined;
  return () => (asked ??= agent === undefined ? Promise.resolve([]) : requireAgent(client, agent));
}

/** What the agent needs. A task with an unknown agent would stay pending forever. */
async function requireAgent(client: Client, agent: string): Promise<AgentNeed[]> {
  // A daemon from before this field has one such agent.
  const { types, needs = { command: ['command'] } } = await client.agents.listTypes();
  if (types.includes(agent)) return needs[agent] ?? [];
  const meant = closest(agent, types);
  throw new CliError(
    exitCodes.invalid,
    `There is no agent "${agent}".${meant === undefined ? ` Available: ${types.join(', ')}.` : ` Did you mean ${meant}?`}`,
    { next: 'See: svc agents ls' },
  );
}

const worksInFolder = (agent: string | undefined, needs: AgentNeed[]) =>
  agent === undefined || agent === 'builtin' || needs.includes('command');

/** An agent that touches files works in the caller's directory, unless the daemon is on another machine. */
function folderFor({ agent, cwd }: RunOptions, isLocal: boolean, needs: AgentNeed[]): string | undefined {
  if (cwd !== undefined) return isLocal ? resolve(cwd) : cwd;
  return isLocal && worksInFolder(agent, needs) ? process.cwd() : undefined;
}
