import type { AgentDetail } from '../../contract/agents.ts';
import type { Config } from '../config/config.ts';
import { settingKeys } from '../config/settings.ts';

/** The settings of an agent that have its name in their keys; names of variables, never values. */
export function settingsOfAgent(
  type: string,
  config: Pick<Config, 'get'>,
): Pick<AgentDetail, 'settings' | 'model' | 'maxTokens' | 'maxSteps' | 'envNames'> {
  const settings = settingKeys.filter((key) => key.startsWith(`agents.${type}.`));
  if (type === 'command') return { settings, envNames: Object.keys(config.get('agents.command.env')) };
  if (type !== 'builtin') return { settings };
  const model = config.get('agents.builtin.model');
  const maxTokens = config.get('agents.builtin.maxBudget');
  return {
    settings,
    ...(model !== undefined && { model }),
    ...(maxTokens !== undefined && { maxTokens }),
    maxSteps: config.get('agents.builtin.maxSteps'),
  };
}
