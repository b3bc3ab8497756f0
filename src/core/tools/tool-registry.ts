import { z } from 'zod';
import type { ToolInfo, ToolServer } from '../../contract/tools.ts';
import type { Tool } from './tool.ts';

/** A source of further tools, such as MCP servers. */
export interface ToolSource {
  tools(): Promise<Tool[]>;
  servers(): Promise<ToolServer[]>;
}

/** All tools: the built-in ones and those of MCP servers, which are queried on demand. */
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

/** Each is derived once, because every run of a model offers every tool. */
const derivedSchemas = new WeakMap<z.ZodType, Record<string, unknown>>();

/** The JSON Schema of the arguments, as sent to models; callers do not change it. */
export function inputSchemaOf({ inputSchema, input }: Tool): Record<string, unknown> {
  if (inputSchema) return inputSchema;
  let derived = derivedSchemas.get(input);
  if (!derived) {
    derived = withoutSchemaKey(z.toJSONSchema(input, { io: 'input' }));
    derivedSchemas.set(input, derived);
  }
  return derived;
}

/** Some vendors reject a schema with `$schema`. */
const withoutSchemaKey = (schema: Record<string, unknown>) =>
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
