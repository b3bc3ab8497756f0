import { checkIdOf, workOfCheck } from './github-checks.ts';
import { githubDeliverySchema, type GithubDelivery } from './github-delivery.ts';
import { followUpOf } from './github-follow-ups.ts';
import { itemEvents } from './github-item-events.ts';
import { senderOf } from './github-users.ts';
import { commentOf, itemOf, sourceIdOf, workOfComment, workOfItem } from './github-work.ts';
import { eventName, readDelivery } from './lenient.ts';
import { mentionOf } from './mentions.ts';
import type { ReadSource, RulesOf, SourceEvent } from './source-work.ts';
import { refusalOf, readComment } from './work-request.ts';

export const readGithub: ReadSource = ({ headers, payload }, rulesOf) => {
  const event = eventName.parse([headers['x-github-event']].flat()[0]);
  const delivery = readDelivery(githubDeliverySchema, payload, 'GitHub');
  return {
    event,
    action: delivery.action,
    sender: delivery.sender?.login,
    sourceId: sourceIdOf(delivery) ?? checkIdOf(delivery),
    verdict: judge(event, delivery, rulesOf),
    followUp: followUpOf(event, delivery, rulesOf),
  };
};

const commentEvents = [
  'issue_comment.created',
  'pull_request_review_comment.created',
  'pull_request_review.submitted',
];
const checkEvents = ['check_run.completed', 'workflow_run.completed'];

function judge(event: string, delivery: GithubDelivery, rulesOf: RulesOf): SourceEvent['verdict'] {
  if (event === 'ping') return { ignored: 'GitHub confirms that the webhook is set up' };
  const name = delivery.action === undefined ? event : `${event}.${delivery.action}`;
  const itemRule = itemEvents.get(name);
  const [isComment, isCheck] = [commentEvents.includes(name), checkEvents.includes(name)];
  if (!itemRule && !isComment && !isCheck) return { ignored: `${name} does not create tasks` };
  const repository = delivery.repository?.full_name;
  if (repository === undefined) return { ignored: 'The delivery names no repository' };
  const rules = rulesOf(repository);
  if (!rules.isEnabled) return { ignored: `A rule disables ${repository}` };
  const refusal = refusalOf(senderOf(delivery.sender), rules);
  if (refusal !== undefined) return { ignored: refusal };

  if (isCheck) {
    const work = workOfCheck(delivery, rules);
    return 'ignored' in work ? work : { work, rules };
  }
  const [item, work] = [itemOf(delivery), workOfItem(delivery, rules)];
  if (!item || !work) return { ignored: 'The delivery names no issue' };
  if (itemRule) {
    const request = itemRule(item, delivery, rules);
    return 'ignored' in request ? request : { work: { ...work, ...request }, rules };
  }
  const comment = commentOf(delivery);
  if (!comment) return { ignored: 'The comment has no text' };
  const request = readComment(comment, rules, { mentionOf });
  return 'ignored' in request
    ? request
    : { work: { ...workOfComment(work, comment, delivery), ...request }, rules };
}
