import { CommentAccess } from './comment-access.ts';
import { CommentWriter, type CommentWriterParts } from './comment-writer.ts';
import { SourceCommentStore } from './source-comment-store.ts';
import { SourceComments, type SourceCommentsParts } from './source-comments.ts';

type Own = 'store' | 'access' | 'writer';
export type SourceCommentParts = Omit<SourceCommentsParts & CommentWriterParts, Own> &
  ConstructorParameters<typeof CommentAccess>[0];

/** The comments that tell the source of a task how it goes. */
export function joinComments(parts: SourceCommentParts) {
  const store = new SourceCommentStore(parts.database);
  const writer = new CommentWriter({ ...parts, store, access: new CommentAccess(parts) });
  return { sourceComments: new SourceComments({ ...parts, store, writer }) };
}
