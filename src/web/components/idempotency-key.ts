/**
 * A key for all tries of one request, so that it takes effect once. A browser gives random UUIDs to secure pages only, and
 * the daemon may be reached over plain HTTP.
 */
export const newKey = (): string =>
  `web-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
