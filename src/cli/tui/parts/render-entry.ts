import { formatDuration } from '../../output/duration.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { fitText } from '../../output/text-width.ts';
import { countLines, splitAttachments } from '../../../contract/attachments.ts';
import type { Highlight } from './highlight-code.ts';
import { renderMarkdown, type MarkdownLayout } from './render-markdown.ts';
import { renderToolCall } from './render-tool-call.ts';
import { renderPatch } from './render-patch.ts';
import { renderPlan } from './render-plan.ts';
import { renderOutput } from './render-output.ts';
import { cleanText, type Line, prefixLines } from './line.ts';
import type { NoteEntry, PersonEntry, RunEntry, ThinkingEntry } from './run-entry.ts';
import { wrapSpans } from './wrap-spans.ts';

/** What a person may have unfolded, and what colours code once it is loaded. */
export interface Folding {
  isThinkingShown: boolean;
  areResultsShown: boolean;
  highlight?: Highlight | undefined;
}

export interface EntryLayout {
  /** Its rows, as lists that stand below each other. */
  lists: readonly (readonly Line[])[];
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
      const { highlight } = folding;
      const markdown = renderMarkdown(text, width, { isComplete, earlier: earlier?.markdown, highlight });
      return { lists: [markdown.settled, markdown.tail], markdown };
    }
    case 'person':
      return { lists: [personLines(entry, width)] };
    case 'thinking':
      return { lists: [thinkingLines(entry, width, folding.isThinkingShown)] };
    case 'tool':
      return { lists: [renderToolCall(entry, width, folding.areResultsShown)] };
    case 'output':
      return { lists: [renderOutput(entry, width)] };
    case 'patch':
      return { lists: [renderPatch(entry.patch, width)] };
    case 'plan':
      return { lists: [renderPlan(entry, width)] };
    case 'note':
      return { lists: [noteLines(entry, width)] };
  }
}

/** What was attached is folded to its name. */
function personLines({ text }: PersonEntry, width: number): Line[] {
  const { message, attachments } = splitAttachments(text);
  const lines = wrapSpans([{ text: cleanText(message), style: { isBold: true } }], width - 2);
  return [
    ...prefixLines(lines, { text: '› ', style: { tone: 'person' } }, { text: '  ' }),
    ...attachments.map(({ name, kind, text: attached }): Line => {
      const count = ` · ${countLines(attached)}`;
      const label = `${kind === 'command' ? '! ' : '@'}${escapeLine(name)}`;
      return [
        { text: '  + ', style: { tone: 'muted' } },
        { text: fitText(label, Math.max(4, width - 4 - count.length)), style: { tone: 'accent' } },
        { text: count, style: { tone: 'muted' } },
      ];
    }),
  ];
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
