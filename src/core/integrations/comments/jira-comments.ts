import { z } from 'zod';
import { safeParse } from '../../../contract/safe-parse.ts';
import { shownCommentMarker } from '../inbound/comment-marker.ts';
import type { CommentTarget } from '../inbound/source-work.ts';
import { adfComment } from './adf-comment.ts';
import { CommentFailure } from './comment-failure.ts';
import type { CommentThread, ThreadOptions } from './comment-thread.ts';
import { exchange, unreadableAnswer, requireSuccess } from './comment-request.ts';

const PAGE = 50;
/** Beyond this many pages of comments the search gives up. */
const MAX_PAGES = 40;

const commentSchema = z.object({ id: z.string().regex(/^\d+$/) });
const listSchema = z.object({
  comments: z.array(
    commentSchema.extend({
      body: z.unknown(),
      created: z.string().nullish(),
    }),
  ),
  total: z.int(),
});

/** Comments of an issue, through version 3 of the REST API. */
export function jiraComments(
  { issueKey }: Extract<CommentTarget, { provider: 'jira' }>,
  { api, taskId, since }: ThreadOptions,
): CommentThread {
  const { vendor, baseUrl } = api;
  const commentsUrl = () => `${baseUrl}/rest/api/3/issue/${keyOf(issueKey)}/comment`;
  const send = async (...[url, request]: [string, Parameters<typeof exchange>[2]]) =>
    requireSuccess(api, await exchange(api, url, request)).body;
  return {
    async create(text) {
      const body = await send(commentsUrl(), { method: 'POST', body: { body: adfComment(text) } });
      const { data } = safeParse(commentSchema, body);
      if (!data) throw unreadableAnswer(vendor);
      return data.id;
    },
    async update(id, text) {
      const url = `${commentsUrl()}/${encodeURIComponent(id)}`;
      await send(url, { method: 'PUT', body: { body: adfComment(text) } });
    },
    async find() {
      let at = 0;
      let found: string | undefined;
      for (let page = 0; page < MAX_PAGES; page++) {
        const url = `${commentsUrl()}?orderBy=-created&startAt=${at}&maxResults=${PAGE}`;
        const { data } = safeParse(listSchema, await send(url, { method: 'GET' }));
        if (!data) throw unreadableAnswer(vendor);
        // The oldest match is ours: the marker cannot be copied before our comment exists.
        found =
          data.comments.findLast(({ body }) =>
            JSON.stringify(body)?.includes(`${shownCommentMarker(taskId)}"`),
          )?.id ?? found;
        at += data.comments.length;
        const oldest = Date.parse(data.comments.at(-1)?.created ?? '');
        if (data.comments.length === 0 || at >= data.total || oldest < since.getTime()) return found;
      }
      throw new CommentFailure('refused', `${vendor} has too many comments to search`);
    },
  };
}

/** Accepts an issue key or Jira's numeric id. */
function keyOf(key: string): string {
  if (!/^(?:[A-Z][A-Z\d_]*-)?\d+$/i.test(key) || key.length > 100)
    throw new CommentFailure('refused', 'Not a Jira issue');
  return key;
}
