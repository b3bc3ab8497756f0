import { z } from 'zod';
import { id, listOf, maybe, text } from './lenient.ts';

const user = z.object({ login: maybe(text), type: maybe(text) });
export type GithubUser = z.output<typeof user>;

const label = z.object({ name: text });
const repository = z.object({ full_name: maybe(text), default_branch: maybe(text) });

const item = z.object({
  number: z.int(),
  title: maybe(text),
  body: maybe(text),
  html_url: maybe(text),
  state: maybe(text),
  labels: listOf(label),
  assignees: listOf(user),
  author_association: maybe(text),
  /** Of an issue that is a pull request. */
  pull_request: maybe(z.object({})),
  head: maybe(z.object({ ref: maybe(text), repo: repository.nullish().catch(undefined) })),
});
export type GithubItem = z.output<typeof item>;

const comment = z.object({
  id,
  body: maybe(text),
  html_url: maybe(text),
  user: maybe(user),
  author_association: maybe(text),
  /** Of a comment on code. */
  path: maybe(text),
  line: maybe(z.int()),
});
export type GithubComment = z.output<typeof comment>;

const pulls = listOf(z.object({ number: z.int(), url: maybe(text) }));
const run = {
  name: maybe(text),
  head_sha: maybe(text),
  conclusion: maybe(text),
  html_url: maybe(text),
  pull_requests: pulls,
};

/** What is read of a body of GitHub; what happened is in a header. */
export const githubDeliverySchema = z.object({
  action: maybe(text),
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
      check_suite: maybe(z.object({ head_branch: maybe(text) })),
      output: maybe(z.object({ title: maybe(text), summary: maybe(text), text: maybe(text) })),
    }),
  ),
  workflow_run: maybe(
    z.object({
      ...run,
      display_title: maybe(text),
      head_branch: maybe(text),
      head_repository: maybe(repository),
    }),
  ),
});
export type GithubDelivery = z.output<typeof githubDeliverySchema>;
