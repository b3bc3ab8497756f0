import { Lexer, type Token } from 'marked';

/** The lexer takes time with the square of the length of a paragraph, if somebody means to. */
const LONGEST_PARAGRAPH = 5000;
/** What is left after this long is shown as it was written, in milliseconds. */
const BUDGET_MS = 200;

/** The blocks of a text; undefined for one that the lexer cannot take, such as one that is nested without end. */
export function readMarkdown(text: string, now = () => performance.now()): Token[] | undefined {
  const lexer = new Lexer();
  const end = now() + BUDGET_MS;
  try {
    lexer.blockTokens(text.replaceAll(/\r\n?/g, '\n'), lexer.tokens);
    for (const { src, tokens } of lexer.inlineQueue)
      if (src.length > LONGEST_PARAGRAPH || now() > end) tokens.push({ type: 'text', raw: src, text: src });
      else lexer.inlineTokens(src, tokens);
    return lexer.tokens;
  } catch {
    return undefined;
  }
}
