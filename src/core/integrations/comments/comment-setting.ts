import type { Config } from '../../config/config.ts';
import { rulesOf } from '../inbound/source-rules.ts';
import type { CommentTarget } from '../inbound/source-work.ts';

/** Whether comments are switched on for the place, as the settings are now. */
export function isCommentWanted(config: Config, target: CommentTarget): boolean {
  switch (target.provider) {
    case 'codehost':
      return rulesOf(config, 'codehost', target.repository).hasComments;
    case 'tracker_a':
      return rulesOf(config, 'tracker_a', target.issueKey.split('-')[0]).hasComments;
    case 'tracker_b':
      // Of which team it was is not known any more; a rule for one may be why it is wanted.
      return (
        config.get('webhooks.tracker_b.comments') ||
        Object.values(config.get('webhooks.tracker_b.rules')).some(({ comments }) => comments)
      );
  }
}
