/** The words of a text, for long tables of values without white space. */
export const listed = (text: string): string[] => text.trim().split(/\s+/);
