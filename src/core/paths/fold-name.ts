/** Normalizes a name the way file systems compare it that ignore case, width and invisible characters. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    // Some file systems drop trailing dots and spaces.
    .replace(/(?<=[^.\s])[.\s]+$/, '');
