import type { CommentApi } from './comment-request.ts';
import type { CommentText } from './comment-text.ts';

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
