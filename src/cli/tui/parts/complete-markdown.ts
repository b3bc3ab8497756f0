/** A last line that may become anything: half a marker of a list, a heading, a rule or a fence. */
const halfMarker = /(^|\n)[ \t]*(?:[-=*+_#>`~]+|\d{1,9}[.)]?)[ \t]*$/;
const fence = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Ends what is still being written, so that nothing looks different when the rest comes: open emphasis, code and links
 * are closed, and what is not yet certain is held back.
 */
export function completeMarkdown(text: string): string {
  const open = openFence(text);
  if (open !== undefined) return text.replace(/\n[ \t]*(?:`{1,}|~{1,})$/, '');
  const held = text.replace(halfMarker, '$1');
  const start = held.lastIndexOf('\n\n') + 1;
  const last = held.slice(start);
  if (isHalfTable(last)) return held.slice(0, start);
  return held.slice(0, start) + closeMarks(last);
}

/** The fence that is open at the end. */
function openFence(text: string): string | undefined {
  let open: string | undefined;
  for (const line of text.split('\n')) {
    const mark = fence.exec(line)?.[1];
    if (mark === undefined) continue;
    if (open === undefined) open = mark;
    else if (mark.startsWith(open) && line.trim() === mark) open = undefined;
  }
  return open;
}

/** The head of a table looks like a paragraph until the line below it is whole. */
function isHalfTable(block: string): boolean {
  const lines = block.trimStart().split('\n');
  if (!lines[0]?.startsWith('|')) return false;
  return lines.length < 2 || (lines.length === 2 && !/^\|?(?:\s*:?-+:?\s*\|)+/.test(lines[1] ?? ''));
}

function closeMarks(block: string): string {
  const code = /`[^`]*$/.exec(block.replaceAll(/`[^`]*`/g, (whole) => ' '.repeat(whole.length)));
  if (code) return code[0] === '`' ? block.slice(0, -1) : `${block}\``;
  const plain = block.replaceAll(/`[^`]*`/g, (whole) => 'x'.repeat(whole.length));
  const link = [...plain.matchAll(/!?\[(?![ xX]\])[^\]\n]*(?:\](?:\([^)\n]*)?)?/g)]
    .filter(({ 0: whole, index }) => index + whole.length === plain.length)
    .at(-1);
  if (link) {
    const words = block
      .slice(link.index)
      .replace(/^!?\[/, '')
      .replace(/\](?:\(.*)?$/s, '');
    return closeEmphasis(block.slice(0, link.index) + words);
  }
  return closeEmphasis(block);
}

/** Closes `**`, `*`, `__`, `_` and `~~` that were opened and not closed, in the order in which they have to be. */
function closeEmphasis(block: string): string {
  const bare = block.replace(/(?<![*_~])[*_~]+$/, '');
  const marks: string[] = [];
  const plain = bare.replaceAll(/`[^`]*`|\\./g, (whole) => 'x'.repeat(whole.length));
  for (const { 0: mark, index } of plain.matchAll(/\*\*|\*|__|_|~~/g)) {
    const before = plain[index - 1] ?? ' ';
    const after = plain[index + mark.length] ?? ' ';
    const mayClose = /\S/.test(before) && !(mark.startsWith('_') && /\w/.test(after));
    const mayOpen = /\S/.test(after) && !(mark.startsWith('_') && /\w/.test(before));
    if (mayClose && marks.includes(mark)) marks.splice(marks.lastIndexOf(mark));
    else if (mayOpen) marks.push(mark);
  }
  return marks.length === 0 ? bare : bare.trimEnd() + marks.toReversed().join('');
}
