import type { CommentTarget } from '../inbound/source-work.ts';
import type { CommentApi } from './comment-request.ts';
import type { CommentText } from './comment-text.ts';
import { githubComments } from './github-comments.ts';
import { jiraComments } from './jira-comments.ts';
import { linearComments } from './linear-comments.ts';

/** The issue or pull request that holds the single comment of a task. Methods reject with a `CommentFailure`, or an `AppError` without a response. */
export interface CommentThread {
  /** Resolves to the vendor's id of the new comment. */
  create(text: CommentText): Promise<string>;
  /** Fails with `missing` if the comment was deleted. */
  update(id: string, text: CommentText): Promise<void>;
  /** Finds the comment of an earlier `create` whose response was lost. */
  find(): Promise<string | undefined>;
}

/** What a thread needs besides its target. */
export interface ThreadOptions {
  api: CommentApi;
  taskId: string;
  /** The comment cannot be older than this. */
  since: Date;
}

export function openThread(target: CommentTarget, options: ThreadOptions): CommentThread {
  switch (target.provider) {
    case 'codehost':
      return githubComments(target, options);
    case 'tracker_a':
      return jiraComments(target, options);
    case 'tracker_b':
      return linearComments(target, options);
  }
}
