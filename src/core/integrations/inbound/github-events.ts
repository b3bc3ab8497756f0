import { checkIdOf, workOfCheck } from './github-checks.ts';
import { githubDeliverySchema, type GithubDelivery } from './github-delivery.ts';
import { itemEvents } from './github-item-events.ts';
import { senderOf } from './github-users.ts';
import { commentOf, itemOf, sourceIdOf, workOfComment, workOfItem } from './github-work.ts';
import { eventName, readDelivery } from './lenient.ts';
import { mentionOf } from './mentions.ts';
import type { ReadSource, RulesOf, SourceEvent } from './source-work.ts';
import { refusalOf, wishOfComment } from './wishes.ts';

export const readGithub: ReadSource = ({ headers, payload }, rulesOf) => {
  const event = eventName.parse([headers['x-github-event']].flat()[0]);
  const delivery = readDelivery(githubDeliverySchema, payload, 'GitHub');
  return {
    event,
    action: delivery.action,
    sender: delivery.sender?.login,
    sourceId: sourceIdOf(delivery) ?? checkIdOf(delivery),
    verdict: judge(event, delivery, rulesOf),
  };
};

const commentEvents = [
  'issue_comment.created',
  'pull_request_review_comment.created',
  'pull_request_review.submitted',
];
const checkEvents = ['check_run.completed', 'workflow_run.completed'];

function judge(event: string, delivery: GithubDelivery, rulesOf: RulesOf): SourceEvent['verdict'] {
  if (event === 'ping') return { ignored: 'GitHub only says that the webhook is set up' };
  const name = delivery.action === undefined ? event : `${event}.${delivery.action}`;
  const wishOfItem = itemEvents.get(name);
  const [isComment, isCheck] = [commentEvents.includes(name), checkEvents.includes(name)];
  if (!wishOfItem && !isComment && !isCheck) return { ignored: `${name} asks for nothing` };
  const place = delivery.repository?.full_name;
  if (place === undefined) return { ignored: 'The delivery does not say which repository it is about' };
  const rules = rulesOf(place);
  if (!rules.isEnabled) return { ignored: `A rule switches ${place} off` };
  const refusal = refusalOf(senderOf(delivery.sender), rules);
  if (refusal !== undefined) return { ignored: refusal };

  if (isCheck) {
    const work = workOfCheck(delivery, rules);
    return 'ignored' in work ? work : { work, rules };
  }
  const [item, work] = [itemOf(delivery), workOfItem(delivery, rules)];
  if (!item || !work) return { ignored: 'The delivery does not say which issue it is about' };
  if (wishOfItem) {
    const wish = wishOfItem(item, delivery, rules);
    return 'ignored' in wish ? wish : { work: { ...work, ...wish }, rules };
  }
  const comment = commentOf(delivery);
  if (!comment) return { ignored: 'There is no text in the comment' };
  const wish = wishOfComment(comment, rules, { mentionOf });
  return 'ignored' in wish ? wish : { work: { ...workOfComment(work, comment, delivery), ...wish }, rules };
}
