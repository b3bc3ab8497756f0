/** The fenced blocks of a language in a Markdown text, in their order. */
export const codeBlocksOf = (markdown: string, language: string): string[] =>
  [...markdown.matchAll(/^```(\w+)\n([^]*?)^```/gm)]
    .filter(([, found]) => found === language)
    .map(([, , code = '']) => code);
