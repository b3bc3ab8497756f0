import { z } from 'zod';
import { define } from './define-setting.ts';

const days = (fallback: number, description: string) =>
  define({
    schema: () => z.int().min(0).max(36_500),
    default: fallback,
    live: true,
    description: `${description}; 0 keeps them forever`,
  });

/** How long finished work is kept. Nothing that unfinished work needs is ever removed. */
export const retentionSettings = {
  'retention.tasksDays': days(90, 'Days for which finished tasks are kept, from their end'),
  'retention.taskEventsDays': days(
    30,
    'Days for which the events of finished tasks are kept, from their end',
  ),
  'retention.deadLettersDays': days(90, 'Days for which resolved and discarded dead letters are kept'),
  'retention.pendingDeadLettersDays': days(
    365,
    'Days for which a pending dead letter is kept, and its task with it',
  ),
  'retention.notificationsDays': days(90, 'Days for which notifications are kept'),
  'retention.gatewayRequestsDays': days(90, 'Days for which gateway requests are kept'),
  'retention.deliveriesDays': days(30, 'Days for which finished deliveries to webhooks are kept'),
  'retention.approvalsDays': days(90, 'Days for which approvals are kept after they expired'),
  'retention.conversationsDays': days(
    365,
    'Days for which a conversation and its messages are kept after their last use',
  ),
  'retention.memorySessionsDays': days(365, 'Days for which archived memory sessions are kept'),
  'retention.invitesDays': days(30, 'Days for which invites are kept after they were used or expired'),
  'retention.workspacesDays': days(30, 'Days for which the workspaces of finished tasks are kept'),
  'retention.outputsDays': days(30, 'Days for which the whole output of finished tasks is kept'),
  'retention.keptFilesDays': days(
    30,
    'Days for which files are kept as agents found and left them, so that their changes can be shown and undone',
  ),
  'retention.upgradeCopiesDays': days(
    30,
    'Days for which the copies of the database from before upgrades are kept',
  ),
  'retention.auditDays': days(0, 'Days after which audit entries are moved to an archive file'),
};
export type RetentionKey = keyof typeof retentionSettings;
