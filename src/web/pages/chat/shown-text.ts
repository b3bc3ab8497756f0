import { escapeText } from '../../../contract/escape-text.ts';

/** A text to read: what could mislead a reader is visible, whichever way its lines end. */
export const shownText = (text: string): string => escapeText(text.replace(/\r\n?/g, '\n'));
