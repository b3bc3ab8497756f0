const ascii = /^[\u0020-\u007e]*$/;
/** East Asian wide and full-width letters, and what is shown as an emoji. */
const wide =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2329\u232a\u2630-\u2637\u268a-\u268f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;
/** Marks that stand beside their letter, as in many scripts of India and in narrow kana. */
const beside = /[\p{Mc}\uff9e\uff9f]/gu;

/** How many columns of a terminal a text takes. */
export function textWidth(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Cuts a text to a number of columns; an ellipsis says that something is missing. */
export function fitText(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY || textWidth(text) <= columns) return text;
  let fitting = '';
  let width = 0;
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    fitting += segment;
  }
  return columns > 0 ? `${fitting}…` : '';
}

/** The same, with the ellipsis in the middle: of a path, the beginning and the end say most. */
export function fitMiddle(text: string, columns: number): string {
  if (columns === Number.POSITIVE_INFINITY || textWidth(text) <= columns) return text;
  const start = fitText(text, Math.ceil(columns / 2)).replace(/…$/, '');
  let end = '';
  let width = textWidth(start) + 1;
  for (const { segment } of [...new Intl.Segmenter().segment(text)].toReversed()) {
    width += graphemeWidth(segment);
    if (width > columns) break;
    end = segment + end;
  }
  return columns > 0 ? `${start}…${end}` : '';
}

const graphemeWidth = (segment: string): number =>
  wide.test(segment) ? 2 : 1 + (segment.length > 1 ? (segment.match(beside)?.length ?? 0) : 0);
