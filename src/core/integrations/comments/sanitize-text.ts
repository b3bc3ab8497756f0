/** An invisible separator (zero-width space). */
export const GAP = '\u200b';

/** Breaks up text that a vendor would turn into a mention, a reference or a link. */
export const breakReferences = (text: string): string =>
  text
    .replaceAll('@', `@${GAP}`)
    .replaceAll(/#(?=\d|$)/g, `#${GAP}`)
    // GH-12, and the keys of Jira and Linear.
    .replaceAll(/(?<=[a-z]\d{0,9})-(?=\d)/gi, `-${GAP}`)
    .replaceAll('://', `:${GAP}//`)
    .replaceAll(/www\./gi, (www) => `${www.slice(0, 3)}${GAP}.`);

/** Escapes plain text so that Markdown shows it literally. */
export const escapeMarkdown = (text: string): string =>
  breakReferences(text)
    .replaceAll(/[\\`*_[\]~|]/g, String.raw`\$&`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

/** Escapes characters that have a meaning at the start of a line. */
export const escapeLineStarts = (text: string): string =>
  text
    .split('\n')
    .map((line) =>
      line
        .trimStart()
        .replace(/^(\d{1,9})([.)])/, String.raw`$1\$2`)
        .replace(/^[-+=#]/, String.raw`\$&`),
    )
    .join('\n');
