import { trimSlashes } from './trim-slashes.ts';

/** The address of a page about one object in the web interface. */
export const pageUrl = (baseUrl: string, kind: 'tasks' | 'approvals', id: string): string =>
  `${trimSlashes(baseUrl)}/${kind}/${encodeURIComponent(id)}`;
