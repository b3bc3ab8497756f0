import type { WriteTransaction } from '../../storage/database.ts';
import type { TaskHappening, TaskOutbox } from '../../tasks/task-outbox.ts';

/** Placeholder: filled by whoever builds outbound webhooks. */
export class WebhookOutbox implements TaskOutbox {
  add(_transaction: WriteTransaction, _happening: TaskHappening): void {}
}
