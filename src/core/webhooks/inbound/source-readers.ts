import type { ProviderName } from '../../../contract/oauth.ts';
import { AppError } from '../../errors.ts';
import type { SourceRules } from './source-rules.ts';
import type { ReadSource, SourceEvent, SourceWork } from './source-work.ts';

type Json = Record<string, unknown>;
const part = (value: unknown, name: string): Json => {
  const inner = typeof value === 'object' && value !== null ? (value as Json)[name] : undefined;
  return typeof inner === 'object' && inner !== null ? (inner as Json) : {};
};
const text = (value: unknown, name: string): string | undefined => {
  const inner = typeof value === 'object' && value !== null ? (value as Json)[name] : undefined;
  return typeof inner === 'string' ? inner : undefined;
};
const namesOf = (list: unknown): string[] =>
  Array.isArray(list)
    ? list.map((label) => (typeof label === 'string' ? label : (text(label, 'name') ?? '')))
    : [];
const has = (labels: string[], { aiTaskLabel }: SourceRules) =>
  labels.some((label) => label.toLowerCase() === aiTaskLabel.toLowerCase());

/** Stand-in: the simplest of what each vendor sends. */
const readCodehost: ReadSource = ({ headers, payload }, rulesOf) => {
  const event = headers['x-github-event'];
  if (typeof event !== 'string') throw new AppError('validation', 'The header X-GitHub-Event is missing');
  const action = text(payload, 'action');
  const repository = part(payload, 'repository');
  const name = text(repository, 'full_name') ?? '';
  const issue = part(payload, 'issue');
  const comment = part(payload, 'comment');
  const { number } = issue;
  const sourceId = typeof number === 'number' ? `${name}#${number}` : undefined;
  const head = { event, action, sender: text(part(payload, 'sender'), 'login'), sourceId };
  const rules = rulesOf(name);
  const labels = namesOf(issue['labels']);
  const said = text(comment, 'body');
  const isComment = event === 'issue_comment' && action === 'created' && said?.startsWith('/ai ') === true;
  const isAsked =
    event === 'issues' &&
    ((action === 'opened' && has(labels, rules)) ||
      (action === 'labeled' && has([text(part(payload, 'label'), 'name') ?? ''], rules)));
  if (sourceId === undefined || !(isComment || isAsked)) return { ...head, verdict: { ignored: 'No work' } };
  return asked(head, rules, {
    sourceId,
    sourceUrl: text(issue, 'html_url'),
    title: text(issue, 'title') ?? '',
    description: text(issue, 'body') ?? '',
    ...(isComment && { prompt: said.slice(4) }),
    labels,
    priority: 3,
    repository: name,
    branch: text(repository, 'default_branch'),
    contentKey: isComment ? `${sourceId} comment ${Number(comment['id'])}` : sourceId,
    target: { provider: 'codehost', repository: name, number: Number(issue['number']) },
  });
};

const readTrackerA: ReadSource = ({ payload }, rulesOf) => {
  const event = text(payload, 'webhookEvent');
  if (event === undefined) throw new AppError('validation', 'The webhookEvent is missing');
  const issue = part(payload, 'issue');
  const fields = part(issue, 'fields');
  const key = text(issue, 'key');
  const head = { event, action: undefined, sender: undefined, sourceId: key };
  const rules = rulesOf(key?.split('-')[0]);
  const labels = namesOf(fields['labels']);
  if (key === undefined || event !== 'jira:issue_created' || !has(labels, rules))
    return { ...head, verdict: { ignored: 'No work' } };
  return asked(head, rules, workOf(key, text(fields, 'summary'), text(fields, 'description'), labels));
};

const readTrackerB: ReadSource = ({ payload }, rulesOf) => {
  const event = text(payload, 'type');
  if (event === undefined) throw new AppError('validation', 'The type is missing');
  const data = part(payload, 'data');
  const key = text(data, 'identifier');
  const action = text(payload, 'action');
  const head = { event, action, sender: undefined, sourceId: key };
  const rules = rulesOf(key?.split('-')[0]);
  const labels = namesOf(data['labels']);
  if (key === undefined || event !== 'Issue' || action !== 'create' || !has(labels, rules))
    return { ...head, verdict: { ignored: 'No work' } };
  return asked(head, rules, workOf(key, text(data, 'title'), text(data, 'description'), labels));
};

const asked = (head: Omit<SourceEvent, 'verdict'>, rules: SourceRules, work: SourceWork): SourceEvent => ({
  ...head,
  verdict: { work, rules },
});

const workOf = (
  sourceId: string,
  title: string | undefined,
  description: string | undefined,
  labels: string[],
): SourceWork => ({
  sourceId,
  sourceUrl: undefined,
  title: title ?? '',
  description: description ?? '',
  labels,
  priority: 3,
  repository: undefined,
  branch: undefined,
  contentKey: sourceId,
  target: undefined,
});

export const sourceReaders: Record<ProviderName, ReadSource> = {
  codehost: readCodehost,
  tracker_a: readTrackerA,
  tracker_b: readTrackerB,
};
