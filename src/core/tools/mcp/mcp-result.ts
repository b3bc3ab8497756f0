import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client';
import { MAX_OUTPUT } from '../tool.ts';

const CUT = '\n[… the rest is left out]';

/** The result of a tool as text for the model. */
export function renderResult({ content, structuredContent }: CallToolResult): string {
  const deps = content.map(renderBlock);
  if (structuredContent !== undefined) {
    const json = JSON.stringify(structuredContent);
    // Servers give it as text, too, for those who know nothing of structured content.
    if (!content.some((block) => block.type === 'text' && isSame(block.text, json))) deps.push(json);
  }
  const text = deps.join('\n').toWellFormed();
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

/** Of text in Base64, without reading it. */
const bytesOf = (text: string) => Buffer.byteLength(text, 'base64');

function isSame(text: string, json: string): boolean {
  if (text.length > MAX_OUTPUT) return false;
  try {
    return JSON.stringify(JSON.parse(text)) === json;
  } catch {
    // Then it is no JSON.
    return false;
  }
}
