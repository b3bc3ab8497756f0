import { CommentAccess } from './comment-access.ts';
import { CommentWriter, type CommentWriterDeps } from './comment-writer.ts';
import { SourceCommentStore } from './source-comment-store.ts';
import { SourceComments, type SourceCommentsDeps } from './source-comments.ts';

type Own = 'store' | 'access' | 'writer';
export type SourceCommentDeps = Omit<SourceCommentsDeps & CommentWriterDeps, Own> &
  ConstructorParameters<typeof CommentAccess>[0];

/** The comments that tell the source of a task how it goes. */
export function composeComments(deps: SourceCommentDeps) {
  const store = new SourceCommentStore(deps.database);
  const writer = new CommentWriter({ ...deps, store, access: new CommentAccess(deps) });
  return { sourceComments: new SourceComments({ ...deps, store, writer }) };
}
