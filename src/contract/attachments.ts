/** What goes with a message: a file, or what a command printed. */
export interface Attachment {
  /** A path from the working directory, or a command. */
  name: string;
  kind: 'file' | 'command';
  text: string;
}

const titles = { file: 'Attached file', command: 'Output of the command' } as const;
const sectionStart = /\n\n(Attached file|Output of the command): `([^`\n]*)`\n\n(`+)\w*\n/g;

/** A message with what is attached to it as fenced text, each under its name. */
export const attach = (message: string, attachments: readonly Attachment[]): string =>
  message + attachments.map(formatSection).join('');

function formatSection({ name, kind, text }: Attachment): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const language = kind === 'file' ? (/\.(\w+)$/.exec(name)?.[1] ?? '') : '';
  const body = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  return `\n\n${titles[kind]}: \`${name.replaceAll('`', "'")}\`\n\n${fence}${language}\n${body}${fence}`;
}

/** What was written, and what was attached to it. */
export function splitAttachments(content: string): { message: string; attachments: Attachment[] } {
  const attachments: Attachment[] = [];
  let message: string | undefined;
  let from = 0;
  for (const match of content.matchAll(sectionStart)) {
    // Inside of what is attached, such a title is text.
    if (match.index < from) continue;
    const [{ length }, title, name = '', fence = ''] = match;
    const start = match.index + length;
    const end = content.startsWith(fence, start) ? start : content.indexOf(`\n${fence}`, start) + 1;
    if (end === 0) break;
    message ??= content.slice(0, match.index);
    attachments.push({
      name,
      kind: title === titles.file ? 'file' : 'command',
      text: content.slice(start, end),
    });
    from = end + fence.length;
  }
  return { message: message ?? content, attachments };
}

/** 1 line, 12 lines. */
export function countLines(text: string): string {
  const count = text === '' ? 0 : text.trimEnd().split('\n').length;
  return count === 1 ? '1 line' : `${count} lines`;
}
