import type { ToolServer } from '../../../contract/tools.ts';
import type { Config } from '../../config/config.ts';
import { createModelFetch, type ModelOutbound } from '../../outbound/model-fetch.ts';
import type { Tool } from '../tool.ts';
import type { McpLimits } from './mcp-client.ts';
import { McpConnection, type McpConnectionDeps } from './mcp-connection.ts';
import { mcpTool } from './mcp-tool.ts';

const LIMITS: McpLimits = { connectMs: 15_000, callMs: 60_000 };
/** Long, because notification streams are often silent. */
const STALL_MS = 10 * 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

export interface McpServersDeps extends Omit<McpConnectionDeps, 'fetch' | 'limits'> {
  config: Config;
  limits?: McpLimits;
  reportBug: (error: unknown) => void;
}

/** The MCP servers of the settings, connected on first use. */
export class McpServers {
  readonly #config: Config;
  readonly #deps: McpConnectionDeps;
  readonly #reportBug: (error: unknown) => void;
  readonly #outbound: ModelOutbound;
  readonly #connections = new Map<string, McpConnection>();
  readonly #closing = new Set<Promise<void>>();
  #isClosed = false;

  constructor({ config, limits = LIMITS, reportBug, ...deps }: McpServersDeps) {
    this.#config = config;
    this.#reportBug = reportBug;
    this.#outbound = createModelFetch(
      () => config.get('outbound.allowPrivate'),
      () => this.#origins(),
      { stallMs: STALL_MS, maxBytes: MAX_BYTES },
    );
    this.#deps = { ...deps, limits, fetch: this.#outbound.fetch };
  }

  /** The tools of all available servers; `servers` describes the others. */
  async tools(): Promise<Tool[]> {
    const offers = this.applySettings().map(async (connection) => {
      const listed = await connection.listTools();
      return listed.map((tool) => mcpTool(connection, tool));
    });
    const tools = (await Promise.all(offers)).flat();
    return [...new Map(tools.map((tool) => [tool.name, tool])).values()];
  }

  /** The state of each server in the settings, after the same attempt to connect as in `tools`. */
  async servers(): Promise<ToolServer[]> {
    const connections = this.applySettings();
    await Promise.all(connections.map((connection) => connection.listTools()));
    return Object.entries(this.#config.get('tools.mcpServers')).map(([name, settings]): ToolServer => {
      const described = connections.find((connection) => connection.name === name)?.describe();
      const transport = 'url' in settings ? 'http' : 'stdio';
      return described ?? { name, transport, connected: false, tools: 0, message: 'It is disabled' };
    });
  }

  /** Closes connections whose settings changed now instead of on next use; returns the connections of enabled servers. */
  applySettings(): McpConnection[] {
    const active = this.#isClosed
      ? []
      : Object.entries(this.#config.opened('tools.mcpServers')).filter(([, { enabled }]) => enabled);
    for (const [name, connection] of this.#connections) {
      const settings = active.find(([other]) => other === name)?.[1];
      if (JSON.stringify(settings) !== JSON.stringify(connection.settings))
        this.#disconnect(name, connection);
    }
    return active.map(([name, settings]) => {
      const connection = this.#connections.get(name) ?? new McpConnection(name, settings, this.#deps);
      this.#connections.set(name, connection);
      return connection;
    });
  }

  /** Closes all connections and terminates the processes of the servers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.applySettings();
    await Promise.all(this.#closing);
    await this.#outbound.close();
  }

  #disconnect(name: string, connection: McpConnection): void {
    this.#connections.delete(name);
    const closing = connection
      .close()
      .catch(this.#reportBug)
      .finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }

  #origins(): ReadonlySet<string> {
    const servers = Object.values(this.#config.get('tools.mcpServers'));
    return new Set(servers.flatMap((server) => ('url' in server ? new URL(server.url).origin : [])));
  }
}
