import { z } from 'zod';
import { safeParse } from '../../../contract/safe-parse.ts';
import type { VendorAnswer } from '../../outbound/vendor-requests.ts';
import { commentMarker } from '../inbound/comment-marker.ts';
import type { CommentTarget } from '../inbound/source-work.ts';
import { CommentFailure } from './comment-failure.ts';
import type { CommentThread, ThreadOptions } from './comment-thread.ts';
import { exchange, unreadableAnswer, requireSuccess } from './comment-request.ts';
import { githubMarkdown } from './markdown-comment.ts';

const PAGE = 100;
/** Beyond this many pages of comments the search gives up. */
const MAX_PAGES = 20;
const redirects = [301, 302, 307, 308];

const commentSchema = z.object({ id: z.int() });
const listSchema = z.array(commentSchema.extend({ body: z.string().nullish() }));

/** Comments of an issue or a pull request: to GitHub, both are issues. */
export function githubComments(
  { repository, number }: Extract<CommentTarget, { provider: 'github' }>,
  { api: baseApi, taskId, since }: ThreadOptions,
): CommentThread {
  const api = {
    ...baseApi,
    headers: {
      accept: 'application/vnd.github+json',
      'x-github-api-version': '2022-11-28',
      ...baseApi.headers,
    },
  };
  const { vendor, baseUrl } = api;
  const send = async (url: string, request: Parameters<typeof exchange>[2]): Promise<VendorAnswer> => {
    const answer = await exchange(api, url, request);
    const to = redirects.includes(answer.status) ? answer.headers.get('location') : null;
    // A renamed repository. The token is only ever sent to the configured API.
    if (to === null || !isSameOrigin(to, baseUrl)) return requireSuccess(api, answer);
    return requireSuccess(api, await exchange(api, to, request));
  };
  const repositoryUrl = () => `${baseUrl}/repos/${repositoryPath(repository)}`;
  const commentsUrl = () => `${repositoryUrl()}/issues/${issueNumber(number)}/comments`;
  return {
    async create(text) {
      const request = { method: 'POST', body: { body: await githubMarkdown(text) } } as const;
      const { data } = safeParse(commentSchema, (await send(commentsUrl(), request)).body);
      if (!data) throw unreadableAnswer(vendor);
      return String(data.id);
    },
    async update(id, text) {
      const url = `${repositoryUrl()}/issues/comments/${encodeURIComponent(id)}`;
      await send(url, { method: 'PATCH', body: { body: await githubMarkdown(text) } });
    },
    async find() {
      let url = `${commentsUrl()}?since=${since.toISOString()}&per_page=${PAGE}`;
      for (let page = 0; page < MAX_PAGES; page++) {
        const { body, headers } = await send(url, { method: 'GET' });
        const { data } = safeParse(listSchema, body);
        if (!data) throw unreadableAnswer(vendor);
        // The oldest match is ours: the marker cannot be copied before our comment exists.
        const ours = data.find((comment) => comment.body?.includes(commentMarker(taskId)));
        if (ours) return String(ours.id);
        const next = /<([^<>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
        if (next === undefined || !isSameOrigin(next, baseUrl)) return undefined;
        url = next;
      }
      throw new CommentFailure('refused', `${vendor} has too many comments to search`);
    },
  };
}

/** Accepts only `owner/repo` without path traversal. */
function repositoryPath(repository: string): string {
  const names = repository.split('/');
  if (names.length !== 2 || names.some((name) => !/^[\w.-]{1,100}$/.test(name) || /^\.+$/.test(name)))
    throw new CommentFailure('refused', 'Not a GitHub repository');
  return names.join('/');
}

function issueNumber(number: number): string {
  if (!Number.isSafeInteger(number) || number < 1) throw new CommentFailure('refused', 'Not a GitHub issue');
  return String(number);
}

const isSameOrigin = (url: string, base: string): boolean =>
  URL.canParse(url) && new URL(url).origin === new URL(base).origin;
