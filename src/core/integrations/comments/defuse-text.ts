/** Separates without being seen. */
export const GAP = '\u200b';

/** What a vendor would make a mention, a reference or a link of, as text that only looks like it. */
export const withoutReach = (text: string): string =>
  text
    .replaceAll('@', `@${GAP}`)
    .replaceAll(/#(?=\d|$)/g, `#${GAP}`)
    // GH-12, and the keys of Jira and Linear.
    .replaceAll(/(?<=[a-z]\d{0,9})-(?=\d)/gi, `-${GAP}`)
    .replaceAll('://', `:${GAP}//`)
    .replaceAll(/www\./gi, (www) => `${www.slice(0, 3)}${GAP}.`);

/** Plain text as Markdown that shows it, and does nothing else. */
export const escapedText = (text: string): string =>
  withoutReach(text)
    .replaceAll(/[\\`*_[\]~|]/g, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** Text that may stand at the beginning of lines, where more signs mean something. */
export const asLines = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      line
        .trimStart()
        .replace(/^(\d{1,9})([.)])/, String.raw`$1\$2`)
        .replace(/^[-+=#]/, String.raw`\$&`),
    )
    .join('\n');
