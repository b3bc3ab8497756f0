import type { Config } from '../../config/config.ts';
import { rulesOf } from '../inbound/source-rules.ts';
import type { CommentTarget } from '../inbound/source-work.ts';

/** Whether comments are currently enabled for the repository, project or team. */
export function areCommentsEnabled(config: Config, target: CommentTarget): boolean {
  switch (target.provider) {
    case 'github':
      return rulesOf(config, 'github', target.repository).hasComments;
    case 'jira':
      return rulesOf(config, 'jira', target.issueKey.split('-')[0]).hasComments;
    case 'linear':
      // The target does not name its team, so one enabled team is enough.
      return (
        config.get('webhooks.linear.comments') ||
        Object.values(config.get('webhooks.linear.rules')).some(({ comments }) => comments)
      );
  }
}
