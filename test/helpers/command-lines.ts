/** A command line of svc as a text shows it. */
export interface CommandLine {
  /** The words behind `svc`, without quotes. */
  words: string[];
  /** The line as it is written. */
  text: string;
}

/** The lines of svc in the shell blocks of a Markdown text, also those in `$(…)` and behind a pipe. */
export function commandLinesOf(markdown: string): CommandLine[] {
  const blocks = [...markdown.matchAll(/^```(?:sh|bash|shell)\n([^]*?)^```/gm)].map(([, code = '']) => code);
  return blocks.flatMap((code) => code.replaceAll(/\\\n\s*/g, ' ').split('\n')).flatMap(linesIn);
}

/** Every use of svc in one line of a shell. */
export function linesIn(text: string): CommandLine[] {
  const starts = text.matchAll(/(?:^|[|;&(]\s*|\$\(|\b(?:npx|sudo -u \w+|[A-Z_]+=\S+) )\s*svc (?=\S)/g);
  return [...starts].map(({ index, 0: start }) => ({
    words: wordsOf(text.slice(index + start.length)),
    text: text.trim(),
  }));
}

/** The words until something of the shell ends the command; a comment or an operator does. */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (quote !== '') {
      if (sign === quote) quote = '';
      else word += sign;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
      word ??= '';
    } else if (depth > 0 || text.startsWith('$(', at)) {
      // What another command says is one word.
      if (sign === '(') depth++;
      if (sign === ')') depth--;
      word = (word ?? '') + sign;
    } else if (/\s/.test(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (/[|;&<>)`]/.test(sign) || (sign === '#' && word === undefined)) break;
    else word = (word ?? '') + sign;
  }
  return word === undefined ? words : [...words, word];
}
