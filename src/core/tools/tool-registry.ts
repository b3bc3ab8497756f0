import { z } from 'zod';
import type { ToolInfo, ToolServer } from '../../contract/tools.ts';
import type { Tool } from './tool.ts';

/** Tools that come from elsewhere, such as from MCP servers. */
export interface ToolSource {
  tools(): Promise<Tool[]>;
  servers(): Promise<ToolServer[]>;
}

/** Knows every tool: those that come with svc, and those of MCP servers, which are asked when somebody wants to know. */
export class ToolRegistry {
  readonly #builtin: readonly Tool[];
  readonly #source: ToolSource;
  constructor(builtin: readonly Tool[], source: ToolSource) {
    this.#builtin = builtin;
    this.#source = source;
  }

  async all(): Promise<Tool[]> {
    return [...this.#builtin, ...(await this.#source.tools())];
  }

  async find(name: string): Promise<Tool | undefined> {
    return (
      this.#builtin.find((tool) => tool.name === name) ??
      (await this.all()).find((tool) => tool.name === name)
    );
  }

  async describe(): Promise<{ tools: ToolInfo[]; servers: ToolServer[] }> {
    const tools = await this.all();
    return { tools: tools.map(describeTool), servers: await this.#source.servers() };
  }
}

/** What a model is told of the arguments. */
export const inputSchemaOf = (tool: Tool): Record<string, unknown> =>
  tool.inputSchema ?? withoutDialect(z.toJSONSchema(tool.input, { io: 'input' }));

/** Some vendors refuse a schema that names its dialect. */
const withoutDialect = (schema: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => name !== '$schema'));

function describeTool(tool: Tool): ToolInfo {
  const reason = tool.unavailable?.();
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchemaOf(tool) as ToolInfo['inputSchema'],
    readOnly: tool.isReadOnly,
    danger: tool.danger,
    source: tool.server === undefined ? 'builtin' : 'mcp',
    ...(tool.server !== undefined && { server: tool.server }),
    available: reason === undefined,
    ...(reason !== undefined && { reason }),
  };
}
