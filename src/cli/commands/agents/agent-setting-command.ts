const values: Readonly<Record<string, string>> = {
  program: 'PATH',
  args: `'["--flag"]'`,
  env: '< variables.json',
  model: 'MODEL',
  maxTokens: '500000',
  maxBudget: '500000',
  maxSteps: '40',
  url: 'https://…',
  'versions.allow': 'VERSION',
};

/** The command that changes a setting of an agent. */
export function agentSettingCommand(key: string, { type }: { type: string }): string {
  if (key === 'agents.added') return `svc agents add ${type} --acp --force -- PROGRAM`;
  return `svc config set ${key} ${values[key.slice(`agents.${type}.`.length)] ?? 'VALUE'}`;
}
