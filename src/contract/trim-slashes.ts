/** The text without the slashes at its end; a regular expression would look for their end from each of them. */
export function trimSlashes(text: string): string {
  let end = text.length;
  while (text[end - 1] === '/') end--;
  return text.slice(0, end);
}
