import type { SearchProviderId } from '../../contract/integrations.ts';
import { safeText } from '../text/safe-text.ts';
import { readStatement } from '../providers/vendor-statement.ts';
import { AppError } from '../errors.ts';
import type { OutboundResponse } from '../outbound/outbound-fetch.ts';
import { readRetryAfter } from '../outbound/retry-after.ts';
import { searchProviders } from './search-provider-list.ts';

/** Describes an unsuccessful response of a search provider, without the key. */
export function searchFailure(
  id: SearchProviderId,
  { status, headers }: OutboundResponse,
  body: unknown,
  { apiKey, now }: { apiKey: string | undefined; now: number },
): AppError {
  const { name, forbidden } = searchProviders[id];
  const { message, words } = readStatement(body);
  const detail = safeText(message, apiKey === undefined ? [] : [apiKey]);
  const fail = (text: string) => new AppError('unavailable', text, { isLasting: true });
  if (status >= 300 && status < 400)
    return fail(`${name} responded with a redirect (${status}): check integrations.webSearch.${id}.baseUrl`);
  if (status >= 500)
    return new AppError('unavailable', `${name} is unavailable (${status}). Try again later.`);
  // Tavily uses 432 and 433 for the limits of its plans.
  if ([402, 432, 433].includes(status) || /quota_limited|quota exceeded|credits|usage limit/.test(words))
    return fail(`The quota of the ${name} plan is exhausted${detail && `: ${detail}`}`);
  if (status === 429) {
    const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
    const when =
      retryAfterMs === undefined ? 'Try again later.' : `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
    const text = `${name} is rate-limiting requests. ${when}`;
    return new AppError('rate_limited', text, retryAfterMs === undefined ? {} : { retryAfterMs });
  }
  if (status === 403 && forbidden !== undefined) return fail(forbidden);
  // Brave responds with 422 to an invalid key.
  if (status === 401 || status === 403 || /subscription_token_invalid/.test(words))
    return fail(
      apiKey === undefined
        ? `${name} requires a key: svc config set integrations.webSearch.${id}.apiKey`
        : `${name} rejected the key. Set another: svc config set integrations.webSearch.${id}.apiKey`,
    );
  return fail(`${name} rejected the request (${status})${detail && `: ${detail}`}`);
}
