import type { AgentDetail } from '../../../contract/agents.ts';
import { formatDuration } from '../../output/duration.ts';
import { agentSettingCommand } from './agent-setting-command.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { type Fact, formatFacts } from '../../output/facts.ts';
import type { Cli } from '../../program/cli.ts';
import { closedText, stateStyle, stateWord } from './agent-state.ts';
import { findAgent } from './find-agent.ts';

/** `svc agents show NAME`. */
export async function showAgent(cli: Cli, type: string, { json }: { json?: boolean }): Promise<void> {
  const { output } = cli;
  const agent = await findAgent(cli.connect().client, type);
  if (json) return output.json({ agent });
  output.write(formatFacts(factsOf(agent), output.paint));
  const commands = agent.settings.map((key) => agentSettingCommand(key, agent));
  if (commands.length === 0) return;
  output.write(`\n${output.paint('dim', 'Change it')}\n`);
  for (const command of commands) output.write(`  ${escapeLine(command)}\n`);
}

function factsOf(agent: AgentDetail): Fact[] {
  const {
    type,
    name,
    isDefault,
    driver,
    program,
    args = [],
    version,
    model,
    hint,
    message,
    healthy,
    stats,
  } = agent;
  const { maxTokens, maxSteps, envNames = [], capabilities, needs } = agent;
  const limits = [
    maxTokens !== undefined && `${maxTokens} tokens per task`,
    maxSteps !== undefined && `${maxSteps} steps per task`,
  ].filter((limit) => limit !== false);
  const finished = stats.completed + stats.failed > 0;
  const isProgram = driver !== undefined;
  return [
    ['Agent', `${type}${isDefault ? ' (default)' : ''}`],
    ['Name', name],
    ['State', [{ text: stateWord(agent), style: stateStyle(agent) }]],
    // The reason why one cannot run names the next step itself.
    ['Reason', healthy ? undefined : message],
    ['Next', healthy ? hint : undefined],
    ['Note', healthy ? message : undefined],
    ['Closed', agent.closedUntil && closedText(agent.closedUntil)],
    ['Driver', driver ?? 'built in'],
    ['Program', program],
    ['Arguments', args.length > 0 ? args.map((each) => JSON.stringify(each)).join(' ') : undefined],
    ['Version', [version, supported(agent)].filter(Boolean).join('  ')],
    ['Login', loginText(agent)],
    ['Model', model ?? (isProgram ? 'its own choice' : undefined)],
    ['Limits', limits.join(', ')],
    ['Variables', envNames.join(', ')],
    ['Labels', capabilities.join(', ')],
    ['Used by', needs?.includes('command') ? 'administrators, and tokens with agents:command' : undefined],
    [
      'Tasks',
      finished
        ? `${stats.completed} completed, ${stats.failed} failed, ${formatDuration(stats.avgDuration)} on average`
        : undefined,
    ],
    ['Last used', agent.lastActivity],
  ];
}

function supported({ versions }: AgentDetail): string {
  if (!versions) return '';
  const { min, tested, allowed } = versions;
  return `(${min} or newer, tested with ${tested}${allowed === undefined ? '' : `, ${allowed} allowed`})`;
}

function loginText({ login, loginWith, state }: AgentDetail): string | undefined {
  if (state === 'not_installed') return loginWith;
  if (login === 'found') return 'found';
  if (loginWith === undefined) return undefined;
  return login === 'not_found' ? `not found; ${loginWith}` : loginWith;
}
