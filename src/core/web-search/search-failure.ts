import type { SearchProviderId } from '../../contract/integrations.ts';
import { safeText } from '../text/safe-text.ts';
import { readStatement } from '../providers/vendor-statement.ts';
import { AppError } from '../errors.ts';
import type { OutboundResponse } from '../outbound/outbound-fetch.ts';
import { readRetryAfter } from '../outbound/retry-after.ts';
import { searchProviders } from './search-provider-list.ts';

/** What an answer that is no success means, in words; never with the key. */
export function searchFailure(
  id: SearchProviderId,
  { status, headers }: OutboundResponse,
  answer: unknown,
  { apiKey, now }: { apiKey: string | undefined; now: number },
): AppError {
  const { name, forbidden } = searchProviders[id];
  const { message, words } = readStatement(answer);
  const said = safeText(message, apiKey === undefined ? [] : [apiKey]);
  const fail = (text: string) => new AppError('unavailable', text);
  if (status >= 300 && status < 400)
    return fail(`${name} answered with a redirect (${status}): check integrations.webSearch.${id}.baseUrl`);
  if (status >= 500) return fail(`${name} is out of order now (${status}). Try again later.`);
  // 432 and 433 are Tavily's own, for the limits of its plans.
  if ([402, 432, 433].includes(status) || /quota_limited|quota exceeded|credits|usage limit/.test(words))
    return fail(`The plan at ${name} is used up${said && `: ${said}`}`);
  if (status === 429) {
    const retryAfterMs = readRetryAfter(headers.get('retry-after'), now);
    const when =
      retryAfterMs === undefined ? 'Try again later.' : `Try again in ${Math.ceil(retryAfterMs / 1000)} s.`;
    const text = `${name} has had too many requests. ${when}`;
    return new AppError('rate_limited', text, retryAfterMs === undefined ? {} : { retryAfterMs });
  }
  if (status === 403 && forbidden !== undefined) return fail(forbidden);
  // Brave answers 422 to a wrong key.
  if (status === 401 || status === 403 || /subscription_token_invalid/.test(words))
    return fail(
      apiKey === undefined
        ? `${name} wants a key: svc config set integrations.webSearch.${id}.apiKey`
        : `${name} refuses the key. Set another: svc config set integrations.webSearch.${id}.apiKey`,
    );
  return fail(`${name} refuses the request (${status})${said && `: ${said}`}`);
}
