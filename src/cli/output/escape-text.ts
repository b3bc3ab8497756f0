export { escapeLine, escapeText } from '../../contract/escape-text.ts';
