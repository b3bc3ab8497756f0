import type { IncomingMessage } from 'node:http';
import { AppError } from '../core/errors.ts';

export interface GateOptions {
  /** The address that the server listens on. */
  host: string;
  port: () => number;
  baseUrl: string | undefined;
}

/**
 * Refuses requests that another web site made a browser send: the host must be our own (against DNS rebinding), and so
 * must the origin (against cross-site requests).
 */
export function createHostGate({
  host,
  port,
  baseUrl,
}: GateOptions): (request: IncomingMessage, allowsCrossSite?: boolean) => void {
  const base = baseUrl === undefined ? undefined : new URL(baseUrl);
  const names = ['localhost', '127.0.0.1', '[::1]', host.includes(':') ? `[${host}]` : host];
  let known: { port: number; hosts: Set<string>; origins: Set<string> } | undefined;
  const ours = () => {
    const now = port();
    if (known?.port === now) return known;
    const hosts = names.flatMap((name) => (now === 80 ? [name, `${name}:80`] : [`${name}:${now}`]));
    const origins = hosts.map((name) => new URL(`http://${name}`).origin);
    known = {
      port: now,
      hosts: new Set(base ? [...hosts, base.host] : hosts),
      origins: new Set(base ? [...origins, base.origin] : origins),
    };
    return known;
  };

  return ({ headers, rawHeaders, url = '' }, allowsCrossSite = false) => {
    // An absolute request target has its own host, which would bypass the check of the header.
    if (!url.startsWith('/')) throw new AppError('forbidden', 'The request target must be a path');
    const { hosts, origins } = ours();
    if (headers.host === undefined || !hosts.has(headers.host.toLowerCase()) || countHosts(rawHeaders) > 1)
      throw new AppError('forbidden', 'Unknown host name. Set server.baseUrl to allow it.');
    const { origin } = headers;
    if (origin !== undefined && !origins.has(origin))
      throw new AppError('forbidden', 'Requests from other web sites are not allowed');
    const site = headers['sec-fetch-site'];
    // OAuth redirects navigate from the vendor to here; frames and scripts of other sites stay refused.
    if (allowsCrossSite && (headers['sec-fetch-mode'] ?? 'navigate') === 'navigate') return;
    if ((site === 'cross-site' || site === 'same-site') && isApi(url))
      throw new AppError('forbidden', 'Requests from other web sites are not allowed');
  };
}

/** Whether the path may be one of an API; decodes it like the router does. */
function isApi(url: string): boolean {
  const [path = ''] = url.split(/[?#;]/);
  try {
    return /^\/(api|mcp|a2a|v1)/.test(decodeURIComponent(path).toLowerCase());
  } catch {
    return true;
  }
}

function countHosts(rawHeaders: string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.length === 4 && rawHeaders[at]?.toLowerCase() === 'host') hosts++;
  return hosts;
}
