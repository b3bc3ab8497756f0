/**
 * Finds a text in bytes, also in those that are no UTF-8. The pattern has classes and no alternatives, because those make
 * some texts slow enough to stop the daemon.
 */
export class BytesFinder {
  /** The length of the text, and of each hit, in bytes. */
  readonly length: number;
  /** For each byte what it may be; the bytes of a character that are independent of each other. */
  readonly #pattern: RegExp;
  /** What each character may be, for where the pattern is not exact. */
  readonly #characters: string[][] | undefined;

  constructor(text: string, caseSensitive: boolean) {
    const characters = Array.from(text, (each) => variantsOf(each, caseSensitive));
    this.length = Buffer.byteLength(text);
    this.#pattern = new RegExp(characters.map(classesOf).join(''), 'g');
    const isExact = characters.every((variants) => differencesOf(variants) <= 1);
    this.#characters = isExact ? undefined : characters;
  }

  /** The places from `start` on, none within another. */
  *find(bytes: Buffer, start: number): Generator<number> {
    // One character for each byte: places in the text are then places in the bytes.
    const text = bytes.toString('latin1');
    this.#pattern.lastIndex = start;
    for (let found = this.#pattern.exec(text); found; found = this.#pattern.exec(text)) {
      const { index } = found;
      if (this.#isAt(text, index)) yield index;
      else this.#pattern.lastIndex = index + 1;
    }
  }

  #isAt(text: string, index: number): boolean {
    let at = index;
    for (const variants of this.#characters ?? []) {
      if (!variants.some((each) => text.startsWith(each, at))) return false;
      at += variants[0]?.length ?? 0;
    }
    return true;
  }
}

/** The bytes of a character in each case, one character per byte; only those as long as it is itself. */
function variantsOf(character: string, caseSensitive: boolean): string[] {
  const cases = caseSensitive ? [character] : [character, character.toLowerCase(), character.toUpperCase()];
  const variants = [...new Set(cases)].map((each) => Buffer.from(each).toString('latin1'));
  return variants.filter(({ length }) => length === variants[0]?.length);
}

/** The bytes at each place. */
const columnsOf = (variants: string[]): string[][] =>
  Array.from(variants[0] ?? '', (_, at) => [...new Set(variants.map((each) => each.charAt(at)))]);

const differencesOf = (variants: string[]) => columnsOf(variants).filter(({ length }) => length > 1).length;

const classesOf = (variants: string[]) =>
  columnsOf(variants)
    .map((bytes) => `[${bytes.map(escapeByte).join('')}]`)
    .join('');

const escapeByte = (byte: string) => `\\x${byte.charCodeAt(0).toString(16).padStart(2, '0')}`;
