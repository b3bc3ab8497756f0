import { formatDuration } from '../../output/duration.ts';
import { renderMarkdown, type MarkdownLayout } from './render-markdown.ts';
import { renderToolCall } from './render-tool-call.ts';
import { renderOutput } from './render-output.ts';
import { cleanText, type Line, prefixLines } from './line.ts';
import type { NoteEntry, PersonEntry, RunEntry, ThinkingEntry } from './run-entry.ts';
import { wrapSpans } from './wrap-spans.ts';

/** What a person may have unfolded. */
export interface Folding {
  isThinkingShown: boolean;
  areResultsShown: boolean;
}

export interface EntryLayout {
  lines: readonly Line[];
  /** Of a text: what makes the next layout cheap while it is being written. */
  markdown?: MarkdownLayout;
}

/** An entry of a transcript as rows. */
export function renderEntry(
  entry: RunEntry,
  width: number,
  folding: Folding,
  earlier?: EntryLayout,
): EntryLayout {
  switch (entry.kind) {
    case 'text': {
      const { text, isComplete } = entry;
      const markdown = renderMarkdown(text, width, { isComplete, earlier: earlier?.markdown });
      return { lines: markdown.lines, markdown };
    }
    case 'person':
      return { lines: personLines(entry, width) };
    case 'thinking':
      return { lines: thinkingLines(entry, width, folding.isThinkingShown) };
    case 'tool':
      return { lines: renderToolCall(entry, width, folding.areResultsShown) };
    case 'output':
      return { lines: renderOutput(entry, width) };
    case 'note':
      return { lines: noteLines(entry, width) };
  }
}

function personLines({ text }: PersonEntry, width: number): Line[] {
  const lines = wrapSpans([{ text: cleanText(text), style: { isBold: true } }], width - 2);
  return prefixLines(lines, { text: '› ', style: { tone: 'person' } }, { text: '  ' });
}

function thinkingLines({ text, startedAt, endedAt }: ThinkingEntry, width: number, isShown: boolean): Line[] {
  const title =
    endedAt === undefined ? 'thinking …' : `thought for ${formatDuration(Math.max(0, endedAt - startedAt))}`;
  const head: Line = [
    { text: isShown ? '▾ ' : '▸ ', style: { tone: 'muted' } },
    { text: title, style: { tone: 'muted', isItalic: true } },
  ];
  if (!isShown) return [head];
  const body = wrapSpans([{ text: cleanText(text.trim()), style: { tone: 'muted' } }], width - 4);
  return [head, ...prefixLines(body, { text: '  │ ', style: { tone: 'muted' } })];
}

const noteLines = ({ text, tone }: NoteEntry, width: number): Line[] =>
  prefixLines(
    wrapSpans([{ text: cleanText(text), style: { tone } }], width - 2),
    { text: tone === 'bad' || tone === 'warning' ? '! ' : '· ', style: { tone } },
    { text: '  ' },
  );
