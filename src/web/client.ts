import { chunksOf } from '../contract/chunks-of.ts';
import { createClient } from '../contract/client.ts';
import { apiTable } from '../contract/route-table.ts';

/** Browsers refuse a longer body of a request that outlives its page. */
const MAX_KEPT_BODY = 60_000;

/** A client of the daemon that served this page. The browser adds the session cookie. */
export const client = createClient(apiTable, {
  baseUrl: '',
  fetch: async (url, { method, headers: sent, body: content, signal }) => {
    // What a person did counts also when the tab closes right after it.
    const keepalive = method !== 'GET' && (content?.length ?? 0) < MAX_KEPT_BODY;
    const response = await fetch(url, {
      method,
      headers: sent,
      keepalive,
      ...(content !== undefined && { body: content }),
      ...(signal && { signal }),
    });
    const { status, headers, body } = response;
    return { status, headers, text: () => response.text(), body: body && chunksOf(body) };
  },
});
