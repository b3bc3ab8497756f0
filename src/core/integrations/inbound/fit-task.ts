import { cutText } from '../../text/cut-text.ts';
import type { z } from 'zod';
import type { ProviderName } from '../../../contract/oauth.ts';
import { type CreateTask, createTaskSchema } from '../../../contract/task.ts';
import { cleanText } from './lenient.ts';
import type { SourceRules } from './source-rules.ts';
import type { SourceEvent, SourceWork } from './source-work.ts';

const { title, description, prompt, sourceId, sourceUrl, repository, branch } = createTaskSchema.shape;
const MAX_TITLE = title.maxLength ?? 500;
const MAX_DESCRIPTION = description.unwrap().maxLength ?? 20_000;
const MAX_PROMPT = prompt.unwrap().maxLength ?? 200_000;
const MAX_LABELS = 50;
const MAX_LABEL = 100;

export interface AskedWork {
  provider: ProviderName;
  deliveryId: string;
  event: SourceEvent;
  work: SourceWork;
  rules: SourceRules;
}

/** The task that a delivery asks for, within what the contract takes: long texts are cut, where they can be seen to be. */
export function fitTask({
  provider,
  deliveryId,
  event,
  work,
  rules,
}: AskedWork): Omit<CreateTask, 'idempotencyKey'> {
  const body = cleanText(work.description);
  const isCut = body.length > MAX_DESCRIPTION;
  const text = promptOf(work, body, isCut);
  const { action, sender } = event;
  return {
    title: titleOf(work),
    ...(body.trim() !== '' && {
      description: isCut ? cut(body, MAX_DESCRIPTION, '\n\n[cut: the prompt has all of it]') : body,
    }),
    ...(text !== undefined && { prompt: cut(text, MAX_PROMPT, '\n\n[cut: it was longer]') }),
    priority: work.priority,
    source: provider,
    labels: fitLabels(work.labels),
    sourceId: fitting(sourceId, work.sourceId),
    sourceUrl: fitting(sourceUrl, work.sourceUrl),
    repository: fitting(repository, work.repository),
    branch: fitting(branch, work.branch),
    assignedAgent: rules.agent,
    metadata: {
      inbound: {
        provider,
        deliveryId,
        event: fitName(event.event),
        ...(action !== undefined && { action: fitName(action) }),
        ...(sender !== undefined && { sender: fitName(sender) }),
      },
    },
  };
}

/** A vendor's name for something, short and fit to be stored. */
export const fitName = (name: string): string => cut(cleanText(name), 200, '…');

function titleOf({ title: given, sourceId }: SourceWork): string {
  const line = cleanText(given).replaceAll(/\s+/gu, ' ').trim();
  return cut(line || cleanText(sourceId).trim() || 'Untitled', MAX_TITLE, '…');
}

/** An agent reads the prompt in place of the title, so a long body takes the title along. */
function promptOf(work: SourceWork, body: string, isCut: boolean): string | undefined {
  const wish = cleanText(work.prompt ?? '').trim();
  if (isCut) return `${wish || titleOf(work)}\n\n${body}`;
  return wish || undefined;
}

function fitLabels(given: readonly string[]): string[] {
  const fit = given.map((label) => cut(cleanText(label), MAX_LABEL, '…')).filter((label) => label !== '');
  return [...new Set(fit)].slice(0, MAX_LABELS);
}

function cut(text: string, max: number, marker: string): string {
  return text.length <= max ? text : cutText(text, max - marker.length) + marker;
}

/** A name or an address that is not fit is none: a part of it would be another one. */
function fitting<T extends z.ZodType>(schema: T, value: string | undefined): z.output<T> | undefined {
  if (!value || cleanText(value) !== value) return undefined;
  return schema.safeParse(value).data;
}
