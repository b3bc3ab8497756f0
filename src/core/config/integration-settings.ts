import { z } from 'zod';
import type { ProviderName } from '../../contract/oauth.ts';
import { define } from './define-setting.ts';

const text = z.string().max(500).optional();
/** As it is, or sealed, which is longer. */
const secret = z.union([text, z.string().startsWith('sealed:v1:').max(4000)]);
const url = z.url({ protocol: /^https?$/ }).max(500);

/** Where a vendor's OAuth server and API are, and who we are there. */
const settingsOf = <P extends ProviderName>(
  provider: P,
  vendor: string,
  urls: { authorize: string; token: string; api: string },
) => {
  const own = {
    clientId: define({
      schema: text,
      default: undefined,
      live: true,
      description: `The client id of the OAuth app at ${vendor}`,
    }),
    clientSecret: define({
      schema: secret,
      default: undefined,
      live: true,
      secret: true,
      description: `The client secret of the OAuth app at ${vendor}`,
    }),
    authorizeUrl: define({
      schema: url,
      default: urls.authorize,
      live: true,
      description: `Where ${vendor} asks the person`,
    }),
    tokenUrl: define({
      schema: url,
      default: urls.token,
      live: true,
      description: `Where ${vendor} gives tokens`,
    }),
    apiUrl: define({
      schema: url,
      default: urls.api,
      live: true,
      description: `The base URL of the API of ${vendor}`,
    }),
    token: define({
      schema: secret,
      default: undefined,
      live: true,
      secret: true,
      description: `A token for the API of ${vendor}, for comments where nobody connected an account`,
    }),
    scopes: define({
      schema: z.array(z.string().min(1).max(100)).max(50).optional(),
      default: undefined,
      live: true,
      description: `What is asked of ${vendor}, when not the usual`,
    }),
  };
  type Own = typeof own;
  return Object.fromEntries(
    Object.entries(own).map(([name, definition]) => [`integrations.${provider}.${name}`, definition]),
  ) as {
    [K in keyof Own as `integrations.${P}.${K}`]: Own[K];
  };
};

export const integrationSettings = {
  ...settingsOf('codehost', 'GitHub', {
    authorize: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    api: 'https://api.github.com',
  }),
  ...settingsOf('tracker_a', 'Jira', {
    authorize: 'https://auth.atlassian.com/authorize',
    token: 'https://auth.atlassian.com/oauth/token',
    api: 'https://api.atlassian.com',
  }),
  'integrations.tracker_a.email': define({
    schema: text,
    default: undefined,
    live: true,
    description: 'The e-mail address of the account whose API token integrations.tracker_a.token is',
  }),
  'integrations.tracker_a.siteUrl': define({
    schema: url.optional(),
    default: undefined,
    live: true,
    description: 'The Jira site of that token, such as https://example.atlassian.net',
  }),
  ...settingsOf('tracker_b', 'Linear', {
    authorize: 'https://linear.app/oauth/authorize',
    token: 'https://api.linear.app/oauth/token',
    api: 'https://api.linear.app',
  }),
};
