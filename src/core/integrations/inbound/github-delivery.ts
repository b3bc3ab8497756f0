import { z } from 'zod';
import { id, listOf, maybe, name, text } from './lenient.ts';

const user = z.object({ login: maybe(name), type: maybe(text) });
export type GithubUser = z.output<typeof user>;

const label = z.object({ name });
const repository = z.object({ full_name: maybe(name), default_branch: maybe(name) });

const item = z.object({
  number: z.int(),
  title: maybe(text),
  body: maybe(text),
  html_url: maybe(text),
  state: maybe(text),
  labels: listOf(label),
  assignees: listOf(user),
  author_association: maybe(text),
  /** Present if the issue is a pull request. */
  pull_request: maybe(z.object({})),
  head: maybe(z.object({ ref: maybe(name), repo: repository.nullish().catch(undefined) })),
});
export type GithubItem = z.output<typeof item>;

const comment = z.object({
  id,
  body: maybe(text),
  html_url: maybe(text),
  user: maybe(user),
  author_association: maybe(text),
  /** Present in reviews: what the reviewer decided. */
  state: maybe(text),
  /** Present in review comments on code. */
  path: maybe(text),
  line: maybe(z.int()),
});

const pulls = listOf(z.object({ number: z.int(), url: maybe(text) }));
const run = {
  name: maybe(name),
  head_sha: maybe(name),
  conclusion: maybe(text),
  html_url: maybe(text),
  pull_requests: pulls,
};

/** The fields that we read from a GitHub payload; the event name is in a header. */
export const githubDeliverySchema = z.object({
  action: maybe(name),
  sender: maybe(user),
  repository: maybe(repository),
  issue: maybe(item),
  pull_request: maybe(item),
  label: maybe(label),
  assignee: maybe(user),
  requested_reviewer: maybe(user),
  comment: maybe(comment),
  review: maybe(comment),
  check_run: maybe(
    z.object({
      ...run,
      check_suite: maybe(z.object({ head_branch: maybe(name) })),
      output: maybe(z.object({ title: maybe(text), summary: maybe(text), text: maybe(text) })),
    }),
  ),
  workflow_run: maybe(
    z.object({
      ...run,
      display_title: maybe(name),
      head_branch: maybe(name),
      head_repository: maybe(repository),
    }),
  ),
});
export type GithubDelivery = z.output<typeof githubDeliverySchema>;
