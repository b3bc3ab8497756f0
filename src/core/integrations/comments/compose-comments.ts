import { type Feature, TIDY_EVERY_MS } from '../../lifecycle.ts';
import { CommentAccess } from './comment-access.ts';
import { CommentWriter, type CommentWriterDeps } from './comment-writer.ts';
import { SourceCommentStore } from './source-comment-store.ts';
import { SourceComments, type SourceCommentsDeps } from './source-comments.ts';

type Own = 'store' | 'access' | 'writer';
export type SourceCommentDeps = Omit<SourceCommentsDeps & CommentWriterDeps, Own> &
  ConstructorParameters<typeof CommentAccess>[0];

/** Wires the progress comments at the sources of tasks. */
export function composeComments(deps: SourceCommentDeps): Feature<{ sourceComments: SourceComments }> {
  const store = new SourceCommentStore(deps.database);
  const writer = new CommentWriter({ ...deps, store, access: new CommentAccess(deps) });
  const sourceComments = new SourceComments({ ...deps, store, writer });
  return {
    services: { sourceComments },
    lifecycle: {
      start: () => sourceComments.start(),
      stop: () => sourceComments.stop(),
      tidy: { everyMs: TIDY_EVERY_MS, run: () => sourceComments.removeOld(), shared: 'comments' },
    },
  };
}
