import { isOwnComment } from './comment-marker.ts';
import { checkOf } from './github-checks.ts';
import type { GithubDelivery } from './github-delivery.ts';
import { senderOf } from './github-users.ts';
import { commentOf } from './github-work.ts';
import { isSame } from './lenient.ts';
import type { FollowUpRequest, RulesOf } from './source-work.ts';
import { refusalOf } from './work-request.ts';

/** What a delivery says against a pull request, if it does and a rule wants to hear of it. */
export function followUpOf(
  event: string,
  delivery: GithubDelivery,
  rulesOf: RulesOf,
): FollowUpRequest | undefined {
  const repository = delivery.repository?.full_name;
  if (repository === undefined) return undefined;
  const rules = rulesOf(repository);
  if (!rules.isEnabled || !rules.hasFollowUps || rules.name === undefined) return undefined;
  const shared = { repository, rule: rules.name, pushes: rules.pushesFollowUps };
  const name = `${event}.${delivery.action}`;
  if (name === 'check_run.completed' || name === 'workflow_run.completed') {
    const check = checkOf(delivery);
    if (check?.branch === undefined) return undefined;
    if (check.conclusion !== 'failure' && check.conclusion !== 'timed_out') return undefined;
    return {
      ...shared,
      branch: check.branch,
      commit: check.sha,
      what: `A check of the pull request ${check.conclusion === 'failure' ? 'failed' : 'timed out'}`,
      text: [check.name, ...check.output].join('\n\n'),
      url: check.url,
    };
  }
  // Bots could answer each other without end.
  if (refusalOf(senderOf(delivery.sender), rules) !== undefined) return undefined;
  const comment = commentOf(delivery);
  const branch = branchOf(delivery, repository);
  // Anyone can comment on a public pull request; the text of people without rights is not given to an agent.
  if (!comment?.isMember || branch === undefined || comment.body.trim() === '') return undefined;
  if (isOwnComment(comment.body)) return undefined;
  const isReview = name === 'pull_request_review.submitted' && delivery.review?.state === 'changes_requested';
  if (!isReview && name !== 'pull_request_review_comment.created') return undefined;
  const { path, line } = delivery.comment ?? {};
  const position = path === undefined ? '' : `${path}${line === undefined ? '' : `:${line}`}\n\n`;
  return {
    ...shared,
    branch,
    what: isReview ? 'A reviewer of the pull request requested changes' : 'A reviewer commented on the code',
    text: `${position}${comment.body}`,
    url: comment.url,
  };
}

/** The branch of the pull request; undefined for one of a fork. */
function branchOf({ pull_request }: GithubDelivery, repository: string): string | undefined {
  const { head } = pull_request ?? {};
  if (head?.repo === null) return undefined;
  return isSame(head?.repo?.full_name ?? repository, repository) ? head?.ref : undefined;
}
