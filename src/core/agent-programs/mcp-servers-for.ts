import type { SessionMcpServer } from '../agents/drivers/driver.ts';
import type { Config } from '../config/config.ts';

/** The configured servers that are programs; each agent starts them itself, and their calls pass the gate. */
export const mcpServersFor = (config: Pick<Config, 'opened'>): SessionMcpServer[] =>
  Object.entries(config.opened('tools.mcpServers')).flatMap(([name, server]) =>
    'command' in server && server.enabled
      ? [{ name, command: server.command, args: server.args, env: server.env }]
      : [],
  );
