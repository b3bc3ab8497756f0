/** The words of a text, for long tables of what has no white space in it. */
export const listed = (text: string): string[] => text.trim().split(/\s+/);
