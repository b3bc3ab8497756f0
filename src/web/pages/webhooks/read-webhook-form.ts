import type { WebhookEvent, WebhookFormat } from '../../../contract/webhooks.ts';
import { formText } from '../../components/form-text.ts';
import type { FieldProblems } from '../../components/form/field-problems.ts';

export interface WebhookForm {
  url: string;
  description: string;
  events: WebhookEvent[];
  format: WebhookFormat;
  secret: string;
  token: string;
}

/** What the fields say. */
export const readWebhookForm = (data: FormData): WebhookForm => ({
  url: formText(data, 'url').trim(),
  description: formText(data, 'description').trim(),
  events: data.getAll('events') as WebhookEvent[],
  format: formText(data, 'format') as WebhookFormat,
  secret: formText(data, 'secret'),
  token: formText(data, 'token'),
});

/** What is missing before the daemon is asked. */
export function missingIn({ url, events }: WebhookForm): FieldProblems | undefined {
  const problems = new Map<string, string>();
  if (url === '') problems.set('url', 'Enter an address.');
  if (events.length === 0) problems.set('events', 'Choose at least one event.');
  return problems.size > 0 ? problems : undefined;
}
