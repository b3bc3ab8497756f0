import { commentMarker, shownCommentMarker } from '../inbound/comment-marker.ts';
import type { CommentText } from './comment-text.ts';
import { sanitizeMarkdown } from './sanitize-markdown.ts';

/** Renders the comment for GitHub. */
export async function githubMarkdown(text: CommentText): Promise<string> {
  const { taskId } = text;
  return [...(await bodyOf(text)), `<sub>svc, task ${taskId}</sub> ${commentMarker(taskId)}`].join('\n\n');
}

/** Renders the comment for Linear, which does not support HTML. */
export async function linearMarkdown(text: CommentText): Promise<string> {
  return [...(await bodyOf(text)), shownCommentMarker(text.taskId)].join('\n\n');
}

async function bodyOf({ headline, rest, note, quote, cutBy, link }: CommentText): Promise<string[]> {
  return [
    `**${headline}**${rest}`,
    ...(note ? [note.replaceAll('_', '\\_')] : []),
    // Quoted, so that it cannot pass for our own text and no line starts like a command to another bot.
    ...(quote ? [asQuote(await sanitizeMarkdown(quote))] : []),
    ...(cutBy ? [`*Truncated: ${cutBy.toLocaleString('en-US')} more characters.*`] : []),
    ...(link ? [`[Open the task](${link})`] : []),
  ];
}

const asQuote = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
