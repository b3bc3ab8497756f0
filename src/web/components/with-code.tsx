import { visibleLine } from '../../contract/visible-text.ts';

/** A line in which what is between backticks is code. */
export const WithCode = ({ text }: { text: string }) =>
  visibleLine(text)
    .split('`')
    .map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part));
