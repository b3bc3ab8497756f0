import { resolve } from 'node:path';
import type { AgentNeed } from '../../../contract/agents.ts';
import type { Client } from '../../../contract/client.ts';
import type { MemoryScopeName } from '../../../contract/memory.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { CliError } from '../../errors/cli-error.ts';
import { exitCodes } from '../../errors/exit-codes.ts';
import type { Cli } from '../../program/cli.ts';
import { idsOf } from '../../ids/ids-of.ts';
import { withId } from '../../ids/resolve-id.ts';
import { noSuchAgent } from '../agents/no-such-agent.ts';
import { workOf, type WorkOptions } from '../tasks/work-of.ts';
import { bestOfOf, type BestOfOptions } from './best-of.ts';
import type { OnApproval } from './on-approval.ts';
import { configurationError } from './configuration-error.ts';
import { titleOf } from '../../../contract/task-title.ts';
import { readPrompt } from './read-prompt.ts';
import { type EnvironmentOptions, environmentOf } from './task-environment.ts';

export interface RunOptions extends WorkOptions, EnvironmentOptions, BestOfOptions {
  agent?: string;
  /** The id of a task, or a unique part of one. */
  continue?: string;
  cwd?: string;
  worktree?: boolean;
  inPlace?: boolean;
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
  const { idempotencyKey } = options;
  const connection = cli.connect();
  const continued = await continuedTask(connection.client, options);
  const agent = options.agent ?? continued?.agent;
  const bestOf = bestOfOf(options);
  const needs = asker(connection.client, ...(bestOf?.agents ?? [agent]));
  const prompt = await readPrompt(words, async () => !(await needs()).includes('command'));
  // A session is continued where it was.
  const cwd =
    continued && options.cwd === undefined
      ? undefined
      : folderFor(options, {
          isLocal: connection.target.isLocal,
          isFolderNeeded: bestOf !== undefined || worksInFolder(agent, await needs()),
        });
  const creation = connection.client.tasks.create({
    body: {
      title: options.title ?? titleOf(prompt),
      prompt,
      ...(agent !== undefined && { assignedAgent: agent }),
      ...(continued && { continues: continued.id }),
      ...(cwd !== undefined && { cwd }),
      ...worktreeOf(options),
      ...(bestOf && { bestOf }),
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

/** Whether the task asks for a worktree, or refuses one. */
function worktreeOf({ worktree, inPlace }: RunOptions): { worktree?: boolean } {
  if (worktree && inPlace)
    throw new CliError(exitCodes.usage, '--worktree and --in-place exclude each other.');
  return worktree || inPlace ? { worktree: worktree === true } : {};
}

/** The task to continue, by any unique part of its id, with the agent that worked on it. */
async function continuedTask(
  client: Client,
  { continue: text }: RunOptions,
): Promise<{ id: string; agent: string | undefined } | undefined> {
  if (text === undefined) return undefined;
  const { answer } = await withId(text, idsOf(client, 'task'), (id) => client.tasks.get({ params: { id } }));
  const { id, agentType, assignedAgent } = answer.task;
  return { id, agent: agentType ?? assignedAgent };
}

/** Asks the daemon at most once what the agents need; rejects as `requireAgent` does. */
export function asker(client: Client, ...agents: (string | undefined)[]): () => Promise<AgentNeed[]> {
  let asked: Promise<AgentNeed[]> | undefined;
  const ask = async (agent: string | undefined) => (agent === undefined ? [] : requireAgent(client, agent));
  return () => (asked ??= Promise.all(agents.map(ask)).then((needs) => needs.flat()));
}

/** What the agent needs. A task with an unknown agent would stay pending forever. */
async function requireAgent(client: Client, agent: string): Promise<AgentNeed[]> {
  // Every daemon has this one: asking would make the shortest runs a request longer.
  if (agent === 'command') return ['command'];
  // A daemon from before this field has no other such agent.
  const { types, needs = {} } = await client.agents.listTypes();
  if (types.includes(agent)) return needs[agent] ?? [];
  throw noSuchAgent(agent, types);
}

const worksInFolder = (agent: string | undefined, needs: AgentNeed[]) =>
  agent === undefined || agent === 'builtin' || needs.includes('command');

/** An agent that touches files works in the caller's directory, unless the daemon is on another machine. */
function folderFor(
  { cwd }: RunOptions,
  { isLocal, isFolderNeeded }: { isLocal: boolean; isFolderNeeded: boolean },
): string | undefined {
  if (cwd !== undefined) return isLocal ? resolve(cwd) : cwd;
  return isLocal && isFolderNeeded ? process.cwd() : undefined;
}
