/** A name as file systems that know no case, no width and no invisible characters would compare it. */
export const foldName = (name: string): string =>
  name
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    // Some file systems drop dots and spaces at the end.
    .replace(/(?<=[^.\s])[.\s]+$/, '');
