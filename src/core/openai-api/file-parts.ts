import type { VendorMessage } from '../providers/model-request.ts';

type UserPart = Extract<VendorMessage, { role: 'user' }>['content'][number];
/** An image, a sound or a document, for the package of a vendor. */
export type FilePart = Extract<UserPart, { type: 'file' }>;

/** The part for a data URL, or for a URL that the provider fetches itself: nothing is fetched here. */
export function filePart(url: string, mediaType: string, filename?: string): FilePart {
  const named = filename === undefined ? {} : { filename };
  if (!url.startsWith('data:')) return { type: 'file', mediaType, data: { type: 'url', url: new URL(url) } };
  const comma = url.indexOf(',');
  const type = url.slice('data:'.length, url.indexOf(';')).toLowerCase();
  return { type: 'file', mediaType: type, data: { type: 'data', data: url.slice(comma + 1) }, ...named };
}
