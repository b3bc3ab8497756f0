const blank = (text: string): string => text.replace(/[^\n]/g, ' ');

/** Blanks out code and quoted lines in Markdown, keeping the length. */
export function withoutQuotes(markdown: string): string {
  const parts: string[] = [];
  let paragraph: string[] = [];
  let fence: string | undefined;
  const endParagraph = (): void => {
    if (paragraph.length > 0) parts.push(withoutInlineCode(paragraph.join('\n')));
    paragraph = [];
  };
  for (const line of markdown.split('\n')) {
    const mark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
    const isOutside = fence === undefined;
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = undefined;
    if (!isOutside || mark !== undefined || /^ {0,3}>/.test(line)) {
      endParagraph();
      parts.push(blank(line));
    } else if (line.trim() === '') {
      endParagraph();
      parts.push(line);
    } else paragraph.push(line);
  }
  endParagraph();
  return parts.join('\n');
}

/** Code is delimited by two equally long runs of backticks; an unmatched run is text. */
function withoutInlineCode(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map((run) => ({
    at: run.index,
    length: run[0].length,
    closing: -1,
  }));
  const later = new Map<number, number>();
  for (let index = runs.length - 1; index >= 0; index--) {
    const run = runs[index];
    if (!run) continue;
    run.closing = later.get(run.length) ?? -1;
    later.set(run.length, index);
  }
  let result = '';
  let done = 0;
  for (let index = 0; index < runs.length; index++) {
    const [opening, closing] = [runs[index], runs[runs[index]?.closing ?? -1]];
    if (!opening || !closing) continue;
    const end = closing.at + closing.length;
    result += paragraph.slice(done, opening.at) + blank(paragraph.slice(opening.at, end));
    done = end;
    index = opening.closing;
  }
  return result + paragraph.slice(done);
}

/** Does the same for Jira markup: {code}, {noformat}, {quote}, {{text}} and lines that start with bq. */
export function withoutWikiQuotes(wiki: string): string {
  let result = '';
  let done = 0;
  let open: { name: string; at: number } | undefined;
  for (const mark of wiki.matchAll(/\{(code|noformat|quote)(:[^{}\n]{0,200})?\}/g)) {
    const [whole, name = '', parameters] = mark;
    if (!open) open = { name, at: mark.index };
    else if (open.name === name && parameters === undefined) {
      const end = mark.index + whole.length;
      result += wiki.slice(done, open.at) + blank(wiki.slice(open.at, end));
      done = end;
      open = undefined;
    }
  }
  return (result + wiki.slice(done)).replace(/^bq\. .*$|\{\{[^{}\n]*\}\}/gm, blank);
}
