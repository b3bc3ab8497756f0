import { id } from '../../ids/id-type.ts';
import { required, several } from '../../program/arguments.ts';
import { defineCommand, defineNoun } from '../../program/define-command.ts';
import { json, jsonEach, quiet } from '../../program/shared-options.ts';

const browserId = id('browser');

const ls = defineCommand({
  name: 'ls',
  summary: 'List browsers that receive notifications, newest first',
  examples: [
    'svc devices notifications ls',
    'svc devices notifications ls --json',
    'svc devices notifications ls --quiet',
  ],
  options: [json, quiet],
  run: async ({ cli, options }) =>
    (await import('./notifications/notified-browsers.ts')).listBrowsers(cli, options),
});

const test = defineCommand({
  name: 'test',
  summary: 'Send a test notification to a browser',
  examples: ['svc devices notifications test 0199', 'svc devices notifications test psub_0199 --json'],
  args: { id: required(browserId) },
  options: [json],
  run: async ({ cli, args, options }) =>
    (await import('./notifications/notified-browsers.ts')).testBrowser(cli, args.id, options),
});

const rm = defineCommand({
  name: 'rm',
  summary: 'Send no more notifications to browsers',
  examples: [
    'svc devices notifications rm 0199',
    'svc devices notifications ls --quiet | xargs svc devices notifications rm',
  ],
  args: { id: several(browserId) },
  options: [jsonEach],
  run: async ({ cli, args, options }) =>
    (await import('./notifications/notified-browsers.ts')).removeBrowsers(cli, args.id, options),
});

export const notifications = defineNoun({
  name: 'notifications',
  summary: 'Manage the browsers that receive notifications',
  examples: [
    'svc devices notifications ls',
    'svc devices notifications test 0199',
    'svc devices notifications rm 0199',
  ],
  commands: [ls, test, rm],
});
