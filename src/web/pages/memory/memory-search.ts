/** What the page of the memory shows; the search of its URL. */
export interface MemorySearch {
  q?: string;
  /** Only files at or below this path. */
  under?: string;
  /** Whether each score is explained. */
  why?: true;
  /** The file whose parts are shown. */
  file?: string;
  /** Whether a folder is being added. */
  add?: true;
}

/** Reads the search of a URL; what does not fit is left out. */
export function readMemorySearch({ q, under, why, file, add }: Record<string, unknown>): MemorySearch {
  // A query of digits alone arrives as a number.
  const text = (value: unknown) => (typeof value === 'number' ? String(value) : value);
  const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
  const query = text(q);
  return {
    ...(isText(query) && { q: query }),
    ...(isText(under) && { under }),
    ...(why === true && { why }),
    ...(isText(file) && { file }),
    ...(add === true && { add }),
  };
}
