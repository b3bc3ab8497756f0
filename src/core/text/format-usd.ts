/** An amount as a decimal number, to a millionth of a dollar, without zeros at the end. */
export function formatUsd(amount: number): string {
  const [whole = '0', digits = ''] = amount.toFixed(6).split('.');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return end === 0 ? whole : `${whole}.${digits.slice(0, end)}`;
}
