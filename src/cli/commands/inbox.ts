import { id } from '../ids/id-type.ts';
import { anyNumber, several } from '../program/arguments.ts';
import { defineCommand, defineNoun } from '../program/define-command.ts';
import { json, jsonEach, limit } from '../program/shared-options.ts';

const notificationId = id('notification');

const read = defineCommand({
  name: 'read',
  summary: 'Mark notifications as read; all unless IDs are given',
  examples: ['svc inbox read', 'svc inbox read 0199'],
  args: { id: anyNumber(notificationId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./inbox/mark-notifications.ts')).markRead(cli, args.id, options),
});

const unread = defineCommand({
  name: 'unread',
  summary: 'Mark notifications as unread',
  examples: ['svc inbox unread 0199'],
  args: { id: several(notificationId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./inbox/mark-notifications.ts')).mark(cli, 'markUnread', args.id, options),
});

export const inbox = defineNoun({
  name: 'inbox',
  summary: 'Show what waits for you; mark notifications as read',
  examples: ['svc inbox', 'svc inbox read', 'svc inbox --json'],
  options: [limit, json],
  commands: [read, unread],
  run: async ({ cli, options }) => (await import('./inbox/show-inbox.ts')).showInbox(cli, options),
});
