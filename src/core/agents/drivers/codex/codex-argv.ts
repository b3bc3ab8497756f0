import { AppError } from '../../../errors.ts';
import { processMarker } from '../../../processes/marked-processes.ts';
import type { SessionMcpServer, SessionOrder } from '../driver.ts';

/** The settings that svc needs; everything else, such as plugins and apps, stays as its user has set it. */
const SETTINGS = [
  'analytics.enabled=false',
  'check_for_update_on_startup=false',
  // Hides keys from commands. The environment as a whole has to be inherited, because the process marker is in it.
  'shell_environment_policy.ignore_default_excludes=false',
  'tools.update_plan.enabled=true',
  // A model may not answer instead of svc.
  'approvals_reviewer="user"',
  // They run unasked, and could answer in place of svc.
  'features.hooks=false',
];
const SECRET_PREFIX = 'SVC_MCP_';

/** The arguments of `codex`, and the variables that it needs for them; secrets are only in the variables. */
export function codexArgv(order: SessionOrder): { argv: string[]; env: Record<string, string> } {
  const servers = order.mcpServers.map(describeServer);
  const env = Object.assign({}, ...servers.map((server) => server.env)) as Record<string, string>;
  const settings = [
    ...SETTINGS,
    // Otherwise Codex writes that it trusts the folder into the settings of its user, and the rules of the folder let
    // commands run unasked.
    `projects={${toToml(order.cwd)}={trust_level="untrusted"}}`,
    ...servers.map((server) => server.setting),
    ...(Object.keys(env).length > 0
      ? [`shell_environment_policy.exclude=${toToml([`${SECRET_PREFIX}*`])}`]
      : []),
  ];
  return { argv: ['app-server', ...settings.flatMap((setting) => ['-c', setting])], env };
}

/**
 * The variables of a server travel under names of their own: two servers may give one name different values, and a `PATH` for
 * a server is none for Codex. A shell gives them their names back.
 */
function describeServer({ name, command, args, env }: SessionMcpServer, index: number) {
  // Codex splits the path of a setting at its dots and knows no quotes in it.
  if (!/^[\w-]+$/.test(name))
    throw new AppError(
      'validation',
      `The name of an MCP server for Codex needs letters, digits, - and _: ${name}`,
    );
  const variables = Object.entries(env).map(([variable, value]) => {
    if (!/^[A-Za-z_]\w*$/.test(variable))
      throw new AppError('validation', `MCP server ${name}: ${variable} is not the name of a variable`);
    return { variable, carrier: `${SECRET_PREFIX}${index}_${variable}`, value };
  });
  const rename = variables
    .map(({ variable, carrier }) => `export ${variable}="$${carrier}"; unset ${carrier}; `)
    .join('');
  const argv =
    rename === '' ? [command, ...args] : ['/bin/sh', '-c', `${rename}exec "$@"`, 'sh', command, ...args];
  const table = {
    command: argv[0],
    args: argv.slice(1),
    // Codex gives a server only the variables that are named here.
    env_vars: [processMarker, ...variables.map(({ carrier }) => carrier)],
    // Otherwise tools that call themselves harmless run without a question.
    default_tools_approval_mode: 'prompt',
  };
  return {
    setting: `mcp_servers.${name}={${Object.entries(table)
      .map(([key, value]) => `${key}=${toToml(value ?? '')}`)
      .join(',')}}`,
    env: Object.fromEntries(variables.map(({ carrier, value }) => [carrier, value])),
  };
}

/** JSON is TOML here, but for a DEL and for unpaired surrogates, which TOML does not take. */
const toToml = (value: string | string[]): string =>
  typeof value === 'string'
    ? JSON.stringify(value.toWellFormed()).replaceAll('\x7f', String.raw`\u007f`)
    : `[${value.map(toToml).join(',')}]`;
