import { join } from 'node:path';
import type { SessionOrder } from '../driver.ts';

/** Tools of Gemini CLI that act. Without a question it would run those that its user has allowed. */
const acting = [
  'run_shell_command',
  'write_file',
  'replace',
  'web_fetch',
  'google_web_search',
  'invoke_agent',
  'activate_skill',
];

/** A policy of the highest tier wins over `tools.allowed` and `trust` in the settings of the user and the project. */
export const geminiFiles: Readonly<Record<string, string>> = {
  'policy.toml': [JSON.stringify(acting), '"*"\nmcpName = "*"']
    .map((tools) => `[[rule]]\ntoolName = ${tools}\ndecision = "ask_user"\npriority = 900\n`)
    .join('\n'),
  // Its user can set another number; by itself it retries a rate limit for minutes.
  'defaults.json': JSON.stringify({ general: { maxAttempts: 2 } }),
};

/** How to start Gemini CLI for a session. */
export function geminiStart({ model, files = '' }: Pick<SessionOrder, 'model' | 'files'>) {
  return {
    argv: [
      '--acp',
      '--admin-policy',
      join(files, 'policy.toml'),
      ...(model === undefined ? [] : [`--model=${model}`]),
    ],
    env: { GEMINI_CLI_SYSTEM_DEFAULTS_PATH: join(files, 'defaults.json') },
  };
}
