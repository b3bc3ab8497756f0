import type { Tool as McpToolDefinition } from '@modelcontextprotocol/client';

export const MAX_TOOLS = 200;
const MAX_DESCRIPTION = 2000;
const MAX_SCHEMA = 64 * 1024;
/** Deeper schemas break whoever walks them. */
const MAX_DEPTH = 40;

/** One tool of a server, within bounds. */
export interface OfferedTool {
  /** As the server calls it. */
  name: string;
  description: string;
  inputSchema: McpToolDefinition['inputSchema'];
}

/** What a server offers, and what of it was left out. */
export interface McpOffer {
  tools: OfferedTool[];
  remark: string | undefined;
}

/** Collects the pages of a list, and lets no more in than a model can be shown. */
export class OfferCollector {
  readonly #tools = new Map<string, OfferedTool>();
  #unfit = 0;
  #isTooLong = false;

  get isFull(): boolean {
    return this.#isTooLong;
  }

  add(definitions: readonly McpToolDefinition[]): void {
    for (const { name, title, description, inputSchema } of definitions) {
      if (this.#tools.has(name) || !fits(inputSchema)) this.#unfit++;
      else if (this.#tools.size === MAX_TOOLS) this.#isTooLong = true;
      else this.#tools.set(name, { name, description: describe(description ?? title ?? name), inputSchema });
    }
  }

  /** `isCut` where there were more pages than were read. */
  finish(isCut: boolean): McpOffer {
    const remarks = [
      this.#isTooLong || isCut ? `It offers more tools than the ${this.#tools.size} that are used` : [],
      this.#unfit > 0
        ? `${this.#unfit} of its tools are left out: named twice, or with a schema too large`
        : [],
      this.#tools.size === 0 ? 'It offers no tools' : [],
    ].flat();
    return { tools: [...this.#tools.values()], remark: remarks.length > 0 ? remarks.join('. ') : undefined };
  }
}

/** Without what nobody sees, such as the characters in which a text can be hidden. */
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
