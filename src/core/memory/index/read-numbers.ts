/** The whole numbers of a list with commas, as `group_concat` makes it; much faster than to split it. */
export function readNumbers(text: unknown): number[] {
  const numbers: number[] = [];
  if (typeof text !== 'string') return numbers;
  for (let at = 0; at < text.length; at++) {
    let number = 0;
    for (let code = text.charCodeAt(at); code >= 48; code = text.charCodeAt(++at))
      number = number * 10 + code - 48;
    numbers.push(number);
  }
  return numbers;
}
