import { z } from 'zod';
import { productNames, type Vendor, webhookSecretVariable } from '../../contract/vendors.ts';
import { prioritySchema, createTaskSchema } from '../../contract/task.ts';
import { define } from './define-setting.ts';
import { keySettingSchema } from './provider-settings.ts';

const label = z.string().trim().min(1).max(100);
const account = z.string().trim().min(1).max(200);
const { repository, branch, cwd } = createTaskSchema.shape;

/** Settings of one repository, project or team, which replace those for all. */
const ruleSchema = z
  .strictObject({
    enabled: z.boolean(),
    aiTaskLabel: label,
    botAccount: account,
    repository,
    branch,
    // One that runs programs only with a repository and a mode: the intake, which knows the agents, refuses others.
    agent: z.string().min(1).max(100),
    mode: z.enum(['sandbox', 'allowlist'], {
      error: 'Work of others runs in the mode sandbox or allowlist; ask and full are for tasks of people',
    }),
    /** The checkout in which an agent that runs programs gets a worktree. */
    cwd,
    /** Words of labels, or names of priorities, by the priority that they mean. */
    priorities: z.record(z.string().min(1).max(100), prioritySchema),
    /** The e-mail address of the user whose tasks they are. */
    owner: z.email().max(255),
    /** Takes the limits of untrusted work away. */
    trusted: z.boolean(),
    comments: z.boolean(),
    commenters: z.enum(['anyone', 'members']),
    checks: z.enum(['off', 'task-branches', 'all']),
    /** Prepares a task for reviews and failed checks of pull requests that svc opened. */
    followUps: z.boolean(),
    /** Pushes what such a task changed once it has completed. */
    pushFollowUps: z.boolean(),
    /** Bots whose labels and comments count; those of others never do. */
    allowBots: z.array(account).max(50),
  })
  .partial();
export type SourceRule = z.output<typeof ruleSchema>;

const settingsOf = <V extends Vendor>(vendor: V, words: { account: string; scopes: string }) => {
  const product = productNames[vendor];
  const own = {
    signingSecret: define({
      schema: () => keySettingSchema,
      default: undefined,
      environment: webhookSecretVariable(vendor),
      live: true,
      secret: true,
      description: `The secret that ${product} signs webhooks with; without it they are refused`,
    }),
    aiTaskLabel: define({
      schema: () => label,
      default: 'ai-task',
      live: true,
      description: `The label that turns an issue at ${product} into a task`,
    }),
    botAccount: define({
      schema: () => account.optional(),
      default: undefined,
      live: true,
      description: `The account whose assignment or mention creates a task: ${words.account}`,
    }),
    comments: define({
      schema: () => z.stringbool().or(z.boolean()),
      default: true,
      live: true,
      description: `Post the progress of a task as a comment at ${product}`,
    }),
    rules: define({
      schema: () => z.record(z.string().min(1).max(200), ruleSchema),
      default: {},
      live: true,
      description: `Rules for single ${words.scopes} by name; * matches any text`,
    }),
  };
  type Own = typeof own;
  return Object.fromEntries(
    Object.entries(own).map(([name, definition]) => [`webhooks.${vendor}.${name}`, definition]),
  ) as { [K in keyof Own as `webhooks.${V}.${K}`]: Own[K] };
};

export const webhookSettings = {
  ...settingsOf('github', {
    account: 'a login',
    scopes: 'repositories',
  }),
  ...settingsOf('jira', {
    account: 'an account id, or a user name of Jira Server',
    scopes: 'projects',
  }),
  ...settingsOf('linear', {
    account: 'the id or the name of a user or an agent',
    scopes: 'teams',
  }),
  'webhooks.inbound.followUpDelayMs': define({
    schema: () => z.int().min(0).max(3_600_000),
    default: 30_000,
    live: true,
    description:
      'Milliseconds that a follow-up of a pull request waits for further comments before it runs by itself',
  }),
  'webhooks.inbound.keepDays': define({
    schema: () => z.int().min(1).max(365),
    default: 30,
    live: true,
    description: 'Days to keep inbound deliveries',
  }),
};
