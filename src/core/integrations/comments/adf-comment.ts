import { shownCommentMarker } from '../inbound/comment-marker.ts';
import { cutText } from '../../text/cut-text.ts';
import type { CommentText } from './comment-text.ts';

/** Jira allows 32,767 characters but does not document which representation counts. */
const MAX_LENGTH = 30_000;

interface AdfNode {
  type: string;
  text?: string;
  content?: AdfNode[];
  marks?: { type: string; attrs?: Record<string, string> }[];
}
export interface AdfDocument {
  version: 1;
  type: 'doc';
  content: AdfNode[];
}

/** Renders the comment as an Atlassian document in which quoted text is never markup. */
export function adfComment(text: CommentText): AdfDocument {
  const whole = documentOf(text);
  const { quote, cutBy = 0 } = text;
  if (quote === undefined || JSON.stringify(whole).length <= MAX_LENGTH) return whole;
  const half = cutText(quote, Math.ceil(quote.length / 2));
  return adfComment({ ...text, quote: half, cutBy: cutBy + quote.length - half.length });
}

function documentOf({ taskId, headline, rest, note, quote, cutBy, link }: CommentText): AdfDocument {
  return {
    version: 1,
    type: 'doc',
    content: [
      paragraph({ ...textOf(headline), marks: [{ type: 'strong' }] }, textOf(rest)),
      ...(note ? [paragraph(textOf(note))] : []),
      ...(quote ? [{ type: 'blockquote', content: paragraphsOf(quote) }] : []),
      ...(cutBy ? [paragraph(textOf(`Truncated: ${cutBy.toLocaleString('en-US')} more characters.`))] : []),
      ...(link
        ? [paragraph({ ...textOf('Open the task'), marks: [{ type: 'link', attrs: { href: link } }] })]
        : []),
      paragraph(textOf(shownCommentMarker(taskId))),
    ],
  };
}

const paragraphsOf = (quote: string): AdfNode[] =>
  // Jira webhooks deliver comments as wiki text, where this would be a mention.
  quote
    .replaceAll('[~', '[\u200b~')
    .split(/\n\s*\n/)
    .map((part) => {
      const lines = part.split('\n').filter((line) => line !== '');
      return paragraph(
        ...lines.flatMap((line, at) => (at === 0 ? [textOf(line)] : [{ type: 'hardBreak' }, textOf(line)])),
      );
    });

const paragraph = (...content: AdfNode[]): AdfNode => ({ type: 'paragraph', content });
const textOf = (text: string): AdfNode => ({ type: 'text', text });
