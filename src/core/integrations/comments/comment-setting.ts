import type { Config } from '../../config/config.ts';
import { rulesOf } from '../inbound/source-rules.ts';
import type { CommentTarget } from '../inbound/source-work.ts';

/** Whether comments are currently enabled for the repository, project or team. */
export function areCommentsEnabled(config: Config, target: CommentTarget): boolean {
  switch (target.provider) {
    case 'codehost':
      return rulesOf(config, 'codehost', target.repository).hasComments;
    case 'tracker_a':
      return rulesOf(config, 'tracker_a', target.issueKey.split('-')[0]).hasComments;
    case 'tracker_b':
      // The target does not name its team, so one enabled team is enough.
      return (
        config.get('webhooks.tracker_b.comments') ||
        Object.values(config.get('webhooks.tracker_b.rules')).some(({ comments }) => comments)
      );
  }
}
