/** An amount as a decimal number, to a millionth of a dollar, without zeros at the end. */
export const formatUsd = (amount: number): string => amount.toFixed(6).replace(/\.?0+$/, '');
