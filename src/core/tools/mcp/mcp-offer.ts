import type { Tool as McpToolDefinition } from '@modelcontextprotocol/client';

export const MAX_TOOLS = 200;
const MAX_DESCRIPTION = 2000;
const MAX_SCHEMA = 64 * 1024;
/** Deeper schemas could overflow the stack of code that walks them. */
const MAX_DEPTH = 40;

/** A tool of a server that passed the size limits. */
export interface OfferedTool {
  /** The name on the server, without our prefix. */
  name: string;
  description: string;
  inputSchema: McpToolDefinition['inputSchema'];
}

/** The tools of a server, and a note on what was left out. */
export interface McpOffer {
  tools: OfferedTool[];
  note: string | undefined;
}

/** Collects the pages of a tool list, within limits that a model can handle. */
export class OfferCollector {
  readonly #tools = new Map<string, OfferedTool>();
  #skipped = 0;
  #isTooLong = false;

  get isFull(): boolean {
    return this.#isTooLong;
  }

  add(definitions: readonly McpToolDefinition[]): void {
    for (const { name, title, description, inputSchema } of definitions) {
      if (this.#tools.has(name) || !fits(inputSchema)) this.#skipped++;
      else if (this.#tools.size === MAX_TOOLS) this.#isTooLong = true;
      else this.#tools.set(name, { name, description: describe(description ?? title ?? name), inputSchema });
    }
  }

  /** `isCut` says that not all pages were read. */
  finish(isCut: boolean): McpOffer {
    const notes = [
      this.#isTooLong || isCut ? `It offers more tools than the ${this.#tools.size} that are used` : [],
      this.#skipped > 0
        ? `${this.#skipped} of its tools are left out: duplicate names or schemas that are too large`
        : [],
      this.#tools.size === 0 ? 'It offers no tools' : [],
    ].flat();
    return { tools: [...this.#tools.values()], note: notes.length > 0 ? notes.join('. ') : undefined };
  }
}

/** Removes invisible characters, in which text can be hidden, and limits the length. */
function describe(text: string): string {
  const visible = text
    .slice(0, 2 * MAX_DESCRIPTION)
    .toWellFormed()
    .replaceAll(/[^\P{C}\n\t]/gu, '');
  return visible.length > MAX_DESCRIPTION ? `${visible.slice(0, MAX_DESCRIPTION - 1)}…` : visible;
}

const fits = (schema: object) => isShallow(schema, MAX_DEPTH) && JSON.stringify(schema).length <= MAX_SCHEMA;

const isShallow = (value: unknown, depth: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (depth > 0 && Object.values(value).every((inner) => isShallow(inner, depth - 1)));
