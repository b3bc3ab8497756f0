import type { Attachment } from '../../../contract/attachments.ts';

/** A message that was begun and not sent. */
export interface Draft {
  text: string;
  attachments: readonly Attachment[];
}

const prefix = 'draft:';
const files = new Map<string, readonly Attachment[]>();

/** What was begun under a key in this tab; its text outlives a reload. */
export const draftOf = (key: string): Draft => ({
  text: sessionStorage.getItem(prefix + key) ?? '',
  attachments: files.get(key) ?? [],
});

/** Keeps what was begun, or forgets it once nothing is left of it. */
export function keepDraft(key: string, { text, attachments }: Draft): void {
  if (attachments.length === 0) files.delete(key);
  else files.set(key, attachments);
  if (text === '') return sessionStorage.removeItem(prefix + key);
  try {
    sessionStorage.setItem(prefix + key, text);
  } catch {
    // The store of the browser is full: then the text outlives no reload.
  }
}
