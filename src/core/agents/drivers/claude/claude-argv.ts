import type { SessionMcpServer, SessionOrder } from '../driver.ts';

/** How to start Claude Code for a session: its arguments, and the variables that they refer to. */
export interface ClaudeStart {
  argv: string[];
  env: Record<string, string>;
}

const streaming =
  '-p --input-format stream-json --output-format stream-json --verbose --include-partial-messages';
/** svc answers every question, so the CLI always runs in the mode in which it asks. */
const asking = '--permission-prompt-tool stdio --permission-mode default';
/**
 * A rule to ask holds against every rule to allow, whoever made it. Hooks are off because they could answer in place of svc.
 * Settings of the project are not read: they name programs that run unasked, and other addresses for the login.
 */
const guarded = [
  '--settings',
  JSON.stringify({ permissions: { ask: ['*'] }, disableAllHooks: true }),
  '--setting-sources',
  'user',
  // Without the settings of the project its CLAUDE.md is read only so.
  '--add-dir',
  '.',
  // Without it the servers of the user and of the project would start.
  '--strict-mcp-config',
];

/** The arguments of Claude Code for a session. No value of an MCP server's environment is among them. */
export function claudeArgv(order: SessionOrder): ClaudeStart {
  const env: Record<string, string> = {};
  const servers = order.mcpServers.map((server, index) => [server.name, serverConfig(server, index, env)]);
  const config = JSON.stringify({ mcpServers: Object.fromEntries(servers) });
  const argv = [
    ...`${streaming} ${asking}`.split(' '),
    ...guarded,
    ...(order.model === undefined ? [] : option('--model', order.model)),
    ...(servers.length === 0 ? [] : ['--mcp-config', config]),
    ...(order.resume === undefined ? [] : option('--resume', order.resume)),
  ];
  return { argv, env };
}

/** A value that begins with a dash would be read as an option of its own. */
const option = (name: string, value: string): string[] =>
  value.startsWith('-') ? [`${name}=${value}`] : [name, value];

/**
 * Anybody on the machine can read the arguments of a process, only its user the environment. So the values of a server's
 * environment go through variables of the CLI, which puts the value of `NAME` where the configuration has `${NAME}`, once.
 * Texts that hold `${` themselves go the same way, to arrive unchanged.
 */
function serverConfig(
  { command, args, env }: SessionMcpServer,
  index: number,
  variables: Record<string, string>,
): object {
  let count = 0;
  const refer = (value: string): string => {
    const name = `SVC_MCP_${index}_${count++}`;
    variables[name] = value;
    return `\${${name}}`;
  };
  const literal = (value: string): string => (value.includes('${') ? refer(value) : value);
  return {
    type: 'stdio',
    command: literal(command),
    args: args.map(literal),
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, refer(value)])),
  };
}
