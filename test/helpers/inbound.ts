import { createHmac, randomUUID } from 'node:crypto';
import { type Agent, fetch, type Headers } from 'undici';
import type { InboundAnswer } from '../../src/contract/inbound.ts';
import type { WireName } from '../../src/contract/vendors.ts';
import type { Flags } from '../../src/core/config/config.ts';
import type { TestDaemon } from './daemon.ts';

export const secrets: Record<WireName, string> = {
  codehost: "It's a Secret to Everybody",
  tracker_a: 'jira-test-secret-7f1c',
  tracker_b: 'lin_wh_test_secret_42',
};
/** Settings of a daemon that takes webhooks of all three. */
export const inboundFlags: Flags = {
  'webhooks.github.signingSecret': secrets.codehost,
  'webhooks.jira.signingSecret': secrets.tracker_a,
  'webhooks.linear.signingSecret': secrets.tracker_b,
};

export interface SentDelivery {
  provider: WireName;
  headers: Record<string, string>;
  body: Buffer;
}

export const hexMac = (secret: string, body: Buffer | string): string =>
  createHmac('sha256', secret).update(body).digest('hex');

/** The delivery with the signature that its vendor would give it. */
export function sign(delivery: SentDelivery, secret = secrets[delivery.provider]): SentDelivery {
  const { provider, body } = delivery;
  const mac = hexMac(secret, body);
  const signature: Record<WireName, Record<string, string>> = {
    codehost: { 'x-hub-signature-256': `sha256=${mac}` },
    tracker_a: { 'x-hub-signature': `sha256=${mac}` },
    tracker_b: { 'linear-signature': mac },
  };
  return { ...delivery, headers: { ...delivery.headers, ...signature[provider] } };
}

interface GithubOptions {
  event?: string;
  id?: string;
}

/** A signed webhook of GitHub. */
export const fromGithub = (
  payload: unknown,
  { event = 'issues', id = randomUUID() }: GithubOptions = {},
): SentDelivery =>
  sign({
    provider: 'codehost',
    headers: { 'content-type': 'application/json', 'x-github-event': event, 'x-github-delivery': id },
    body: Buffer.from(JSON.stringify(payload)),
  });

export interface IssueOptions {
  repository?: string;
  number?: number;
  title?: string;
  body?: string | null;
  labels?: string[];
  updatedAt?: string;
}

const issueOf = ({
  number = 7,
  title = 'It does not start',
  body = 'See the log.',
  labels = ['ai-task'],
  updatedAt = '2026-11-20T10:00:00Z',
}: IssueOptions) => ({
  id: 4000 + number,
  number,
  title,
  body,
  state: 'open',
  html_url: `https://github.com/octo/hello/issues/${number}`,
  user: { login: 'ann', id: 1, type: 'User' },
  assignees: [],
  labels: labels.map((name) => ({ name })),
  author_association: 'MEMBER',
  created_at: '2026-11-20T10:00:00Z',
  updated_at: updatedAt,
});
const place = ({ repository = 'octo/hello' }: IssueOptions) => ({
  repository: {
    id: 1,
    full_name: repository,
    default_branch: 'main',
    html_url: 'https://github.com/octo/hello',
  },
  sender: { login: 'ann', id: 1, type: 'User' },
});

/** What GitHub says when an issue is opened. */
export const openedIssue = (issue: IssueOptions = {}) => ({
  action: 'opened',
  issue: issueOf(issue),
  ...place(issue),
});
/** What GitHub says when an issue gets a label. */
export const labeledIssue = (issue: IssueOptions = {}, label = 'ai-task') => ({
  action: 'labeled',
  issue: issueOf(issue),
  label: { name: label },
  ...place(issue),
});
/** What GitHub sends for a comment on an issue. */
export const commentOn = (issue: IssueOptions, id: number, body: string) => ({
  action: 'created',
  issue: issueOf(issue),
  comment: {
    id,
    body,
    html_url: `https://github.com/octo/hello/issues/7#issuecomment-${id}`,
    user: { login: 'ann', id: 1, type: 'User' },
    author_association: 'MEMBER',
    created_at: '2026-11-20T11:00:00Z',
  },
  ...place(issue),
});
/** What Linear says when an issue is created. */
export const linearIssue = (identifier: string, webhookTimestamp?: number) => ({
  action: 'create',
  type: 'Issue',
  data: {
    id: `id-of-${identifier}`,
    identifier,
    title: 'It does not start',
    description: 'See the log.',
    url: `https://linear.app/octo/issue/${identifier}/it-does-not-start`,
    priority: 0,
    labels: [{ id: 'label', name: 'ai-task', color: '#fff' }],
    labelIds: ['label'],
    team: { id: 'team', key: identifier.split('-')[0], name: 'Team' },
  },
  ...(webhookTimestamp !== undefined && { webhookTimestamp }),
});
export const fromLinear = (payload: unknown, id: string = randomUUID()): SentDelivery =>
  sign({
    provider: 'tracker_b',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'linear-event': 'Issue',
      'linear-delivery': id,
    },
    body: Buffer.from(JSON.stringify(payload)),
  });

export interface InboundReply {
  status: number;
  headers: Headers;
  body: InboundAnswer & { error?: string };
}

/** Posts the delivery as its vendor does, without a session. */
export async function deliver(
  { url }: Pick<TestDaemon, 'url'>,
  { provider, headers, body }: SentDelivery,
  dispatcher?: Agent,
): Promise<InboundReply> {
  const response = await fetch(`${url}/api/webhooks/${provider}`, {
    method: 'POST',
    headers,
    body: new Uint8Array(body),
    ...(dispatcher && { dispatcher }),
  });
  const { status } = response;
  return { status, headers: response.headers, body: (await response.json()) as InboundReply['body'] };
}
