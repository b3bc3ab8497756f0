import type { ResponseHeaders } from '../../outbound/exchange.ts';

/** The media type of a Content-Type header without parameters, such as `text/html`; empty if there is none. */
export const mediaTypeOf = (headers: ResponseHeaders): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? '';

/** The bytes to scan for a charset declaration; browsers scan 1024. */
const PRESCAN = 4096;

/** Decodes a body by its byte order mark, else by its header, else by the declaration in the page, else as UTF-8. */
export function decodePage(body: Uint8Array, headers: ResponseHeaders): string {
  const label = byteOrderMark(body) ?? charsetOf(headers) ?? charsetIn(body) ?? 'utf-8';
  return decodeAs(label, body);
}

function byteOrderMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  return first === 0xff && second === 0xfe ? 'utf-16le' : undefined;
}

const charsetOf = (headers: ResponseHeaders) =>
  /;\s*charset\s*=\s*["']?([\w.:-]+)/i.exec(headers.get('content-type') ?? '')?.[1];

/** Finds `<meta charset>`, `<meta http-equiv>` and `<?xml encoding?>`, which are all ASCII. */
function charsetIn(body: Uint8Array): string | undefined {
  const start = new TextDecoder('latin1').decode(body.subarray(0, PRESCAN));
  const found =
    /<meta\s[^<>]*?charset\s*=\s*["']?([\w.:-]+)/i.exec(start) ??
    /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]+)/i.exec(start);
  const label = found?.[1]?.toLowerCase();
  // A declaration that was readable as ASCII proves that the page is not UTF-16.
  return label?.startsWith('utf-16') ? 'utf-8' : label;
}

function decodeAs(label: string, body: Uint8Array): string {
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}
