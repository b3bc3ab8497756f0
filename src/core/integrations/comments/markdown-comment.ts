import { commentMarker, shownCommentMarker } from '../inbound/comment-marker.ts';
import type { CommentText } from './comment-text.ts';
import { defuseMarkdown } from './defuse-markdown.ts';

/** The comment as GitHub takes it. */
export async function githubMarkdown(text: CommentText): Promise<string> {
  const { taskId } = text;
  return [...(await bodyOf(text)), `<sub>svc, task ${taskId}</sub> ${commentMarker(taskId)}`].join('\n\n');
}

/** The comment as Linear takes it, which knows no HTML. */
export async function linearMarkdown(text: CommentText): Promise<string> {
  return [...(await bodyOf(text)), shownCommentMarker(text.taskId)].join('\n\n');
}

async function bodyOf({ headline, rest, note, quote, cutBy, link }: CommentText): Promise<string[]> {
  return [
    `**${headline}**${rest}`,
    ...(note ? [note.replaceAll('_', '\\_')] : []),
    // As a quote it cannot pass for our words, and no line of it begins like a command to another bot.
    ...(quote ? [asQuote(await defuseMarkdown(quote))] : []),
    ...(cutBy ? [`*Cut here: ${cutBy.toLocaleString('en-US')} more characters.*`] : []),
    ...(link ? [`[Open the task](${link})`] : []),
  ];
}

const asQuote = (text: string): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
