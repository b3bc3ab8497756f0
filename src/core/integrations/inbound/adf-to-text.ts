interface AdfNode {
  type: string;
  text: string;
  attrs: Record<string, unknown>;
  marks: AdfNode[];
  content: AdfNode[];
}
export interface AdfMention {
  id: string | undefined;
  text: string;
}

const MAX_DEPTH = 100;
const inlineTypes = new Set(
  'text mention emoji inlineCard status date hardBreak placeholder mediaInline inlineExtension'.split(' '),
);

/** Renders the visible text of an Atlassian document like Markdown; `writeMention` can override the format of mentions. */
export function adfToText(
  document: unknown,
  writeMention: (mention: AdfMention) => string = ({ text }) => text,
): string {
  const root = nodeOf(document, 0);
  let lists = 0;
  return root ? blocksOf(root.content, '\n\n') : '';

  function blocksOf(nodes: AdfNode[], between: string): string {
    const blocks: string[] = [];
    let line = '';
    for (const node of nodes) {
      if (inlineTypes.has(node.type)) {
        line += inlineOf(node);
        continue;
      }
      blocks.push(line, blockOf(node));
      line = '';
    }
    return [...blocks, line].filter((block) => block !== '').join(between);
  }

  function blockOf({ type, text, attrs, content }: AdfNode): string {
    const inner = (between = '\n\n') => blocksOf(content, between);
    switch (type) {
      case 'heading':
        return `${'#'.repeat(Math.min(Math.max(Number(attrs['level']) || 1, 1), 6))} ${inner()}`;
      case 'codeBlock':
        return `\`\`\`${asText(attrs['language'])}\n${inner()}\n\`\`\``;
      case 'blockquote':
        return inner().replaceAll(/^/gm, '> ');
      case 'rule':
        return '---';
      case 'orderedList':
        return listOf(content, (index) => `${(Number(attrs['order']) || 1) + index}. `);
      case 'bulletList':
      case 'decisionList':
        return listOf(content, () => '- ');
      case 'taskList':
        return listOf(content, (_index, item) => (item.attrs['state'] === 'DONE' ? '- [x] ' : '- [ ] '));
      case 'table':
        return inner('\n');
      case 'tableRow':
        return content.map((cell) => blocksOf(cell.content, '\n')).join(' | ');
      case 'expand':
      case 'nestedExpand':
        return [asText(attrs['title']), inner()].filter(Boolean).join('\n\n');
      case 'blockCard':
      case 'embedCard':
        return asText(attrs['url']);
      case 'media':
        return asText(attrs['alt']);
      default:
        return text + inner();
    }
  }

  function listOf(items: AdfNode[], sign: (index: number, item: AdfNode) => string): string {
    const indent = '  '.repeat(lists++);
    const lines = items.map((item, index) => indent + sign(index, item) + blocksOf(item.content, '\n'));
    lists--;
    return lines.join('\n');
  }

  function inlineOf({ type, text, attrs, marks }: AdfNode): string {
    switch (type) {
      case 'text': {
        const href = asText(marks.find((mark) => mark.type === 'link')?.attrs['href']);
        const shown = marks.some((mark) => mark.type === 'code') ? `\`${text}\`` : text;
        return href === '' || href === text ? shown : `[${shown}](${href})`;
      }
      case 'hardBreak':
        return '\n';
      case 'mention':
        return writeMention({ id: asText(attrs['id']) || undefined, text: asText(attrs['text']) });
      case 'emoji':
        return asText(attrs['text']) || asText(attrs['shortName']);
      case 'date':
        return dayOf(attrs['timestamp']);
      case 'mediaInline':
        return asText(attrs['alt']);
      default:
        return asText(attrs['text']) || asText(attrs['url']);
    }
  }
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');

function dayOf(timestamp: unknown): string {
  const date = new Date(Number(timestamp));
  return Number.isNaN(date.getTime()) ? asText(timestamp) : date.toISOString().slice(0, 10);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

function nodeOf(value: unknown, depth: number): AdfNode | undefined {
  if (!isObject(value) || typeof value['type'] !== 'string' || depth > MAX_DEPTH) return undefined;
  const list = (nodes: unknown): AdfNode[] =>
    Array.isArray(nodes)
      ? nodes.map((node) => nodeOf(node, depth + 1)).filter((node) => node !== undefined)
      : [];
  return {
    type: value['type'],
    text: asText(value['text']),
    attrs: isObject(value['attrs']) ? value['attrs'] : {},
    marks: list(value['marks']),
    content: list(value['content']),
  };
}
