import type { CommentTarget } from '../inbound/source-work.ts';
import type { CommentThread, ThreadOptions } from './comment-thread.ts';
import { githubComments } from './github-comments.ts';
import { jiraComments } from './jira-comments.ts';
import { linearComments } from './linear-comments.ts';

/** The thread at the vendor that holds the comment of a task. */
export function openThread(target: CommentTarget, options: ThreadOptions): CommentThread {
  switch (target.provider) {
    case 'github':
      return githubComments(target, options);
    case 'jira':
      return jiraComments(target, options);
    case 'linear':
      return linearComments(target, options);
  }
}
