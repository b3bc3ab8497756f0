import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { MAX_OUTPUT } from '../tool.ts';

const CUT = '\n[… the rest is left out]';

/** Renders the result of a tool as text for the model. */
export function renderResult({ content, structuredContent }: CallToolResult): string {
  const parts = content.map(renderBlock);
  if (structuredContent !== undefined) {
    const json = JSON.stringify(structuredContent);
    // Servers often repeat it as text, for clients without support for structured content.
    if (!content.some((block) => block.type === 'text' && isSame(block.text, json))) parts.push(json);
  }
  const text = parts.join('\n').toWellFormed();
  return text.length > MAX_OUTPUT ? text.slice(0, MAX_OUTPUT - CUT.length).toWellFormed() + CUT : text;
}

function renderBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
    case 'audio':
      return `[${block.type}, ${bytesOf(block.data)} bytes, not shown]`;
    case 'resource': {
      const { resource } = block;
      return 'text' in resource
        ? `[resource ${resource.uri}]\n${resource.text}`
        : `[resource ${resource.uri}, ${bytesOf(resource.blob)} bytes, not shown]`;
    }
    case 'resource_link':
      return `[link ${block.uri}] ${block.name}`;
  }
}

/** The size of Base64 data, without decoding it. */
const bytesOf = (text: string) => Buffer.byteLength(text, 'base64');

function isSame(text: string, json: string): boolean {
  if (text.length > MAX_OUTPUT) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    // The text is not JSON.
    return false;
  }
}
