/** The beginning of a text, at most `length` UTF-16 units, without an unpaired surrogate at its end. */
export const cutText = (text: string, length: number): string =>
  text
    .slice(0, length)
    .replace(/[\ud800-\udbff]$/, '')
    .toWellFormed();
