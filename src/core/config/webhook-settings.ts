import { z } from 'zod';
import type { ProviderName } from '../../contract/oauth.ts';
import { prioritySchema, createTaskSchema } from '../../contract/task.ts';
import { define } from './define-setting.ts';
import { keySettingSchema } from './provider-settings.ts';

const label = z.string().trim().min(1).max(100);
const account = z.string().trim().min(1).max(200);
const { repository, branch } = createTaskSchema.shape;

/** What holds for one repository, project or team in place of what holds for all. */
const ruleSchema = z
  .strictObject({
    enabled: z.boolean(),
    aiTaskLabel: label,
    botAccount: account,
    repository,
    branch,
    // No agent that needs command rights: the intake, which knows the agents, refuses those.
    agent: z.string().min(1).max(100),
    /** Words of labels, or names of priorities, by the priority that they mean. */
    priorities: z.record(z.string().min(1).max(100), prioritySchema),
    /** The e-mail address of the user whose tasks they are. */
    owner: z.email().max(255),
    /** Takes the limits of untrusted work away. */
    trusted: z.boolean(),
    comments: z.boolean(),
    commenters: z.enum(['anyone', 'members']),
    checks: z.enum(['off', 'task-branches', 'all']),
    /** Bots whose labels and comments count; those of others never do. */
    allowBots: z.array(account).max(50),
  })
  .partial();
export type SourceRule = z.output<typeof ruleSchema>;

const settingsOf = <P extends ProviderName>(
  provider: P,
  vendor: string,
  words: { environment: string; account: string; places: string },
) => {
  const own = {
    signingSecret: define({
      schema: keySettingSchema,
      default: undefined,
      environment: words.environment,
      live: true,
      secret: true,
      description: `The secret with which ${vendor} signs its webhooks; without it none is taken`,
    }),
    aiTaskLabel: define({
      schema: label,
      default: 'ai-task',
      live: true,
      description: `The label that makes a task of an issue of ${vendor}`,
    }),
    botAccount: define({
      schema: account.optional(),
      default: undefined,
      live: true,
      description: `Whose assignment or mention makes a task: ${words.account}`,
    }),
    comments: define({
      schema: z.stringbool().or(z.boolean()),
      default: true,
      live: true,
      description: `Whether a comment at ${vendor} says how its task went`,
    }),
    rules: define({
      schema: z.record(z.string().min(1).max(200), ruleSchema),
      default: {},
      live: true,
      description: `What holds for some ${words.places} only, by their names; a star stands for any text`,
    }),
  };
  type Own = typeof own;
  return Object.fromEntries(
    Object.entries(own).map(([name, definition]) => [`webhooks.${provider}.${name}`, definition]),
  ) as { [K in keyof Own as `webhooks.${P}.${K}`]: Own[K] };
};

export const webhookSettings = {
  ...settingsOf('codehost', 'GitHub', {
    environment: 'CODEHOST_WEBHOOK_SECRET',
    account: 'a login',
    places: 'repositories',
  }),
  ...settingsOf('tracker_a', 'Jira', {
    environment: 'TRACKER_A_WEBHOOK_SECRET',
    account: 'an account id, or a user name of Jira Server',
    places: 'projects',
  }),
  ...settingsOf('tracker_b', 'Linear', {
    environment: 'TRACKER_B_WEBHOOK_SECRET',
    account: 'the id or the name of a user or an agent',
    places: 'teams',
  }),
  'webhooks.inbound.keepDays': define({
    schema: z.int().min(1).max(365),
    default: 30,
    live: true,
    description: 'Days for which deliveries that came in are remembered',
  }),
};
