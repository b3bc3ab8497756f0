import { z } from 'zod';
import { isLoopbackHost } from '../text/loopback-host.ts';

/** A URL of PostgreSQL; its password stands before the host, where it is known to be one. */
export const databaseUrlSchema = z
  .url({
    protocol: /^postgres(?:ql)?$/,
    error:
      'Expected a URL such as postgres://svc:PASSWORD@db.example.org/svc, with special characters of the password percent-encoded',
    // What is no URL has no parameters to look at.
    abort: true,
  })
  .refine((url) => !new URL(url).searchParams.has('password'), {
    error: 'Expected the password in front of the host: postgres://USER:PASSWORD@HOST/DATABASE',
  });

export const redisUrlSchema = z.url({
  protocol: /^rediss?$/,
  error:
    'Expected a URL such as redis://:PASSWORD@redis.example.org:6379, with special characters of the password percent-encoded',
});

/** What keeps a connection to PostgreSQL from being safe from others on the network; undefined where nothing does. */
export function problemOfDatabaseUrl(url: string, tls: 'required' | 'off'): string | undefined {
  const { hostname, searchParams } = new URL(url);
  const host = searchParams.get('host') ?? hostname;
  const bare = host.replace(/^\[|\]$/g, '');
  const isLocal = bare === '' || host.startsWith('/') || isLoopbackHost(bare);
  if (isLocal || tls === 'off' || searchParams.get('sslmode') === 'verify-full') return undefined;
  return 'A database on another machine needs TLS. Add ?sslmode=verify-full to the URL, or set storage.tls to off where you trust the network';
}

/** True for a URL with a password in it. */
export const hasPasswordIn = (url: string): boolean => new URL(url).password !== '';

/** The URL with `mask` in place of its password. */
export const maskPassword = (url: string, mask: string): string =>
  url.replace(/^([^/]+:\/\/[^/?#:]*:)[^/?#]*(?=@)/, `$1${mask}`);
