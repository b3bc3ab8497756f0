import { z } from 'zod';
import { isLoopbackHost } from '../text/loopback-host.ts';

const databaseExample = 'Expected a URL such as postgres://svc:PASSWORD@db.example.org/svc, with one host';
const redisExample = 'Expected a URL such as redis://:PASSWORD@redis.example.org:6379, with one host';
const encoding =
  'with every character of the password that is no letter and no digit percent-encoded, such as %40 for @';

/** A URL of PostgreSQL; its password stands before the host, where it is known to be one. */
export const databaseUrlSchema = z
  .url({ protocol: /^postgres(?:ql)?$/, error: `${databaseExample}, ${encoding}`, abort: true })
  .refine((url) => hasOneHost(url) && !isCutInPassword(url), { error: `${databaseExample}, ${encoding}` })
  .refine((url) => !new URL(url).searchParams.has('password'), {
    error: 'Expected the password in front of the host: postgres://USER:PASSWORD@HOST/DATABASE',
  });

export const redisUrlSchema = z
  .url({ protocol: /^rediss?$/, error: `${redisExample}, ${encoding}`, abort: true })
  .refine((url) => hasOneHost(url) && !isCutInPassword(url) && isDecodable(new URL(url).password), {
    error: `${redisExample}, ${encoding}`,
  });

/** Neither client connects to several. */
const hasOneHost = (url: string): boolean => !new URL(url).hostname.includes(',');

/** Whether what should be the host stands behind a `/`, `?` or `#` of the password, so that others would be asked for it. */
function isCutInPassword(url: string): boolean {
  const { username, pathname, searchParams, hash } = new URL(url);
  return username === '' && [pathname, hash, ...searchParams.keys()].some((part) => part.includes('@'));
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** What keeps a connection to PostgreSQL from being safe from others on the network; undefined where nothing does. */
export function problemOfDatabaseUrl(url: string, tls: 'required' | 'off'): string | undefined {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  const bare = host.replace(/^\[|\]$/g, '');
  const isLocal = bare === '' || /^(?:\/|%2f)/i.test(host) || isLoopbackHost(bare);
  if (isLocal || tls === 'off' || searchParams.get('sslmode') === 'verify-full') return undefined;
  return 'A database on another machine needs TLS. Add ?sslmode=verify-full to the URL, or set storage.tls to off where you trust the network';
}

/** True for a URL with a password in it. */
export const hasPasswordIn = (url: string): boolean => new URL(url).password !== '';

/** The URL with `mask` in place of its password. */
export const maskPassword = (url: string, mask: string): string =>
  url.replace(/^([^/]+:\/\/[^/?#:]*:)[^/?#]*(?=@)/, `$1${mask}`);
