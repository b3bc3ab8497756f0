import type { Task } from '../../../contract/task.ts';
import type { VerifiedCommand } from '../../../contract/verification.ts';
import { cutText } from '../../text/cut-text.ts';
import { maskValue } from '../../tools/mask-secrets.ts';
import { sanitizeMarkdown } from '../comments/sanitize-markdown.ts';
import { escapeMarkdown } from '../comments/sanitize-text.ts';
import { commentMarker } from '../inbound/comment-marker.ts';

const MAX_TITLE = 256;
const MAX_DESCRIPTION = 10_000;
const MAX_COMMAND = 500;

export type DescribedTask = Pick<Task, 'id' | 'title' | 'description' | 'agentType' | 'sourceUrl' | 'result'>;

/** The title of a task as one line that may be published: secrets are masked. */
export function publicTitle(title: string): string {
  const line = masked(title).replaceAll(/\s+/gu, ' ').trim();
  return line.length > MAX_TITLE ? `${cutText(line, MAX_TITLE - 1)}…` : line;
}

/**
 * What a pull request says: the text of the person, then the task, its agent and the result of its verification. The
 * prompt and the output of the agent are not in it, and secrets are masked.
 */
export async function pullRequestBody(task: DescribedTask, text = ''): Promise<string> {
  const { id, title, description, agentType, sourceUrl, result } = task;
  const facts = [
    `**Task:** ${escapeMarkdown(publicTitle(title))}`,
    ...(agentType === undefined ? [] : [`**Agent:** ${escapeMarkdown(agentType)}`]),
    ...(sourceUrl === undefined ? [] : [`**Source:** <${new URL(sourceUrl).href}>`]),
    `**Verification:** ${verificationText(result?.verification)}`,
  ];
  return [
    ...(text.trim() === '' ? [] : [text.trim()]),
    ...(description?.trim() ? [await sanitizeMarkdown(cutText(masked(description), MAX_DESCRIPTION))] : []),
    facts.join('\\\n'),
    (result?.verification?.commands ?? []).map(commandLine).join('\n'),
    `<sub>svc, task ${id}</sub> ${commentMarker(id)}`,
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function verificationText(verification: NonNullable<Task['result']>['verification']): string {
  if (!verification) return 'the task names no commands that verify it';
  return verification.status === 'passed' ? 'passed' : 'failed';
}

function commandLine({ command, exitCode, problem }: VerifiedCommand): string {
  // A backtick would end the code.
  const line = masked(command).replaceAll('`', "'").replaceAll(/\s+/gu, ' ');
  const shown = line.length > MAX_COMMAND ? `${cutText(line, MAX_COMMAND)}…` : line;
  const outcome =
    exitCode === null ? `no exit code (${escapeMarkdown(masked(problem ?? ''))})` : `exit code ${exitCode}`;
  return `- \`${shown}\`: ${outcome}`;
}

const masked = (text: string): string => String(maskValue(text));
