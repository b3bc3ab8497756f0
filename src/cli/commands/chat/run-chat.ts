import type { ProviderName } from '../../../contract/providers.ts';
import type { Effort } from '../../../contract/run-events.ts';
import type { SecurityMode } from '../../../contract/security-mode.ts';
import { CliError } from '../../errors/cli-error.ts';
import type { Cli } from '../../program/cli.ts';
import { type ExitCode, exitCodes } from '../../errors/exit-codes.ts';
import { requireProvider } from '../providers/provider-type.ts';
import type { OnApproval } from './answer-approval.ts';
import type { ChatSettings } from './chat-settings.ts';
import { readyAgent } from './ready-agent.ts';
import { chosenConversation } from './chosen-conversation.ts';

export interface ChatOptions {
  conversation?: string | true;
  agent?: string;
  agentic?: boolean;
  model?: string;
  provider?: string;
  effort?: Effort;
  maxSteps?: number;
  maxBudget?: number;
  mode?: SecurityMode;
  onApproval?: OnApproval;
  plain?: boolean;
  json?: boolean;
  jsonl?: boolean;
}

/** `svc chat`: full-screen on a terminal, otherwise one message and its answer. */
export async function runChat(cli: Cli, typed: string[], options: ChatOptions): Promise<ExitCode> {
  const settings = await settingsOf(cli, options);
  const { agent, json, jsonl, onApproval } = options;
  const agentVersion = agent === undefined ? undefined : await readyAgent(cli.connect().client, agent);
  const { words, chosen } = splitConversation(typed, options.conversation);
  const { id: conversation, directory } = (await chosenConversation(cli, chosen)) ?? {};
  const isOnScreen = process.stdin.isTTY && cli.output.isTerminal && cli.platform.env['TERM'] !== 'dumb';
  const isPlain =
    !isOnScreen || options.plain || json || jsonl || onApproval !== undefined || words[0] === '-';
  if (isPlain) {
    const { chatPlainly } = await import('./plain-chat.ts');
    return chatPlainly(cli, words, { settings, conversation, directory, onApproval, json, jsonl });
  }
  const { startChat } = await import('../../tui/chat/start-chat.tsx');
  return startChat(cli, { settings, agentVersion, conversation, message: words.join(' ') });
}

/** `-c "some words"` is the last conversation of this directory, and a message: no id has a space. */
const splitConversation = (words: string[], chosen: string | true | undefined) =>
  typeof chosen === 'string' && /\s/.test(chosen)
    ? { words: [chosen, ...words], chosen: true as const }
    : { words, chosen };

async function settingsOf(cli: Cli, options: ChatOptions): Promise<ChatSettings> {
  const { agent, agentic = false, effort, maxSteps, maxBudget, mode, model } = options;
  if (
    agent !== undefined &&
    (agentic || options.provider !== undefined || options.conversation !== undefined)
  )
    throw new CliError(exitCodes.usage, '--agent excludes --agentic, --provider and --conversation.', {
      next:
        options.conversation === undefined
          ? `An agent works by itself, with its own provider: svc chat --agent ${agent}`
          : 'A conversation keeps its agent: omit --agent, or start another one without -c.',
    });
  const isForRuns = effort !== undefined || maxSteps !== undefined || maxBudget !== undefined;
  if (isForRuns && !agentic)
    throw new CliError(exitCodes.usage, '--effort, --max-steps and --max-budget require --agentic.', {
      next: 'Add --agentic, or omit them.',
    });
  if (mode !== undefined && agentic)
    throw new CliError(exitCodes.usage, 'Agentic mode always uses mode full, which never prompts.', {
      next: 'Omit --mode, or chat without --agentic to decide on each call.',
    });
  const provider = options.provider === undefined ? undefined : await providerOf(cli, options.provider);
  return { isAgentic: agentic, agent, model, provider, mode, effort, maxSteps, maxBudget };
}

const providerOf = async (cli: Cli, text: string): Promise<ProviderName> =>
  requireProvider(text, (await cli.connect().client.providers.list()).providers);
