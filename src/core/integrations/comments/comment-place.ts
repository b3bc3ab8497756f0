import type { CommentApi } from './comment-request.ts';
import type { CommentText } from './comment-text.ts';

/** Where the one comment of a task is kept. Everything rejects with a `CommentFailure`, or an `AppError` where there is no answer. */
export interface CommentPlace {
  /** Answers the vendor's id of the new comment. */
  create(text: CommentText): Promise<string>;
  /** Fails as `missing` where somebody removed the comment. */
  update(id: string, text: CommentText): Promise<void>;
  /** The id of the comment that an earlier `create` wrote without anybody hearing of it. */
  find(): Promise<string | undefined>;
}

/** What a place has to know beside the API. */
export interface PlaceOf {
  api: CommentApi;
  taskId: string;
  /** Before this there was no comment. */
  since: Date;
}
