const ascii = /^[\u0020-\u007e]*$/;
/** East Asian wide and full-width letters, and what is shown as an emoji. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}

/** Cuts a text to a number of columns; an ellipsis says that something is missing. */
export function fitText(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY || textWidth(text) <= columns) return text;
  let fitting = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += wide.test(segment) ? 2 : 1;
    if (width > columns - 1) break;
    fitting += segment;
  }
  return columns > 0 ? `${fitting}…` : '';
}
