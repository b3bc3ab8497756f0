import { z } from 'zod';
import { productNames, type Vendor } from '../../contract/vendors.ts';
import { define } from './define-setting.ts';

const text = z.string().max(500).optional();
/** As it is, or sealed, which is longer. */
const secret = z.union([text, z.string().startsWith('sealed:v1:').max(4000)]);
const url = z.url({ protocol: /^https?$/ }).max(500);

/** Where a vendor's OAuth server and API are, and who we are there. */
const settingsOf = <V extends Vendor>(vendor: V, urls: { authorize: string; token: string; api: string }) => {
  const product = productNames[vendor];
  const own = {
    clientId: define({
      schema: () => text,
      default: undefined,
      live: true,
      description: `The client ID of the OAuth app at ${product}`,
    }),
    clientSecret: define({
      schema: () => secret,
      default: undefined,
      live: true,
      secret: true,
      description: `The client secret of the OAuth app at ${product}`,
    }),
    authorizeUrl: define({
      schema: () => url,
      default: urls.authorize,
      live: true,
      description: `The authorization URL of ${product}`,
    }),
    tokenUrl: define({
      schema: () => url,
      default: urls.token,
      live: true,
      description: `The token URL of ${product}`,
    }),
    apiUrl: define({
      schema: () => url,
      default: urls.api,
      live: true,
      description: `The base URL of the API of ${product}`,
    }),
    token: define({
      schema: () => secret,
      default: undefined,
      live: true,
      secret: true,
      description: `An API token for ${product}, used for comments when the owner has connected no account`,
    }),
    scopes: define({
      schema: () => z.array(z.string().min(1).max(100)).max(50).optional(),
      default: undefined,
      live: true,
      description: `The OAuth scopes to request from ${product}, if not the default ones`,
    }),
  };
  type Own = typeof own;
  return Object.fromEntries(
    Object.entries(own).map(([name, definition]) => [`integrations.${vendor}.${name}`, definition]),
  ) as {
    [K in keyof Own as `integrations.${V}.${K}`]: Own[K];
  };
};

export const integrationSettings = {
  ...settingsOf('github', {
    authorize: 'https://github.com/login/oauth/authorize',
    token: 'https://github.com/login/oauth/access_token',
    api: 'https://api.github.com',
  }),
  ...settingsOf('jira', {
    authorize: 'https://auth.atlassian.com/authorize',
    token: 'https://auth.atlassian.com/oauth/token',
    api: 'https://api.atlassian.com',
  }),
  'integrations.jira.email': define({
    schema: () => text,
    default: undefined,
    live: true,
    description: 'The email address of the account that integrations.jira.token belongs to',
  }),
  'integrations.jira.siteUrl': define({
    schema: () => url.optional(),
    default: undefined,
    live: true,
    description: 'The Jira site of integrations.jira.token, such as https://example.atlassian.net',
  }),
  ...settingsOf('linear', {
    authorize: 'https://linear.app/oauth/authorize',
    token: 'https://api.linear.app/oauth/token',
    api: 'https://api.linear.app',
  }),
};
