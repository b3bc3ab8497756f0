import { cutText } from '../../text/cut-text.ts';
import type { z } from 'zod';
import { safeParse } from '../../../contract/safe-parse.ts';
import { type CreateTask, createTaskSchema } from '../../../contract/task.ts';
import { type Vendor, wireName } from '../../../contract/vendors.ts';
import { cleanText } from './lenient.ts';
import type { SourceRules } from './source-rules.ts';
import type { SourceEvent, SourceWork } from './source-work.ts';

const { title, description, prompt, sourceId, sourceUrl, repository, branch } = createTaskSchema.shape;
const MAX_TITLE = title.maxLength ?? 500;
const MAX_DESCRIPTION = description.unwrap().maxLength ?? 20_000;
const MAX_PROMPT = prompt.unwrap().maxLength ?? 200_000;
const MAX_LABELS = 50;
const MAX_LABEL = 100;

export interface WorkVerdict {
  provider: Vendor;
  deliveryId: string;
  event: SourceEvent;
  work: SourceWork;
  rules: SourceRules;
}

/** Fits the requested task into the limits of the contract; long texts are truncated with a visible marker. */
export function fitTask({
  provider,
  deliveryId,
  event,
  work,
  rules,
}: WorkVerdict): Omit<CreateTask, 'idempotencyKey'> {
  const body = cleanText(work.description);
  const isCut = body.length > MAX_DESCRIPTION;
  const text = promptOf(work, body, isCut);
  const { action, sender } = event;
  return {
    title: titleOf(work),
    ...(body.trim() !== '' && {
      description: isCut ? cut(body, MAX_DESCRIPTION, '\n\n[truncated: the prompt has the full text]') : body,
    }),
    ...(text !== undefined && { prompt: cut(text, MAX_PROMPT, '\n\n[truncated]') }),
    priority: work.priority,
    source: wireName(provider),
    labels: fitLabels(work.labels),
    sourceId: fitting(sourceId, work.sourceId),
    sourceUrl: fitting(sourceUrl, work.sourceUrl),
    repository: fitting(repository, work.repository),
    branch: fitting(branch, work.branch),
    assignedAgent: rules.agent,
    securityMode: rules.mode,
    ...(rules.cwd !== undefined && { cwd: rules.cwd, worktree: true }),
    metadata: {
      inbound: {
        provider: wireName(provider),
        deliveryId,
        event: fitName(event.event),
        ...(action !== undefined && { action: fitName(action) }),
        ...(sender !== undefined && { sender: fitName(sender) }),
      },
    },
  };
}

/** Cleans and truncates a vendor's name for storage. */
export const fitName = (name: string): string => cut(cleanText(name), 200, '…');

function titleOf({ title: rawTitle, sourceId }: SourceWork): string {
  const line = cleanText(rawTitle).replaceAll(/\s+/gu, ' ').trim();
  return cut(line || cleanText(sourceId).trim() || 'Untitled', MAX_TITLE, '…');
}

/** Agents read the prompt instead of the title, so the prompt of a long body includes the title. */
function promptOf(work: SourceWork, body: string, isCut: boolean): string | undefined {
  const request = cleanText(work.prompt ?? '').trim();
  if (isCut) return `${request || titleOf(work)}\n\n${body}`;
  return request || undefined;
}

function fitLabels(labels: readonly string[]): string[] {
  const fit = labels.map((label) => cut(cleanText(label), MAX_LABEL, '…')).filter((label) => label !== '');
  return [...new Set(fit)].slice(0, MAX_LABELS);
}

function cut(text: string, max: number, marker: string): string {
  return text.length <= max ? text : cutText(text, max - marker.length) + marker;
}

/** Drops invalid names and URLs: truncating them would name something else. */
function fitting<T extends z.ZodType>(schema: T, value: string | undefined): z.output<T> | undefined {
  if (!value || cleanText(value) !== value) return undefined;
  return safeParse(schema, value).data;
}
