import ignore, { type Ignore } from 'ignore';

/** More of them above one another, or more rules, are no longer somebody's wish but an attack on time and memory. */
const MAX_FILES = 50;
const MAX_RULES = 20_000;
/** After so many answers those that are remembered are forgotten. */
const MAX_ANSWERS = 10_000;
/** More `**` in one pattern cost a power of the depth each. */
const MAX_GLOBSTARS = 2;

/** What git would leave out below a folder. Each `.gitignore` that is added makes new rules, and leaves these as they are. */
export class IgnoreRules {
  /** The folder that all patterns are relative to. */
  readonly #top: string;
  readonly #patterns: Ignore;
  readonly #files: number;
  readonly #count: number;
  #answering: Ignore;
  #answers = 0;
  private constructor(top: string, patterns: Ignore, files: number, count: number) {
    this.#top = top;
    this.#patterns = patterns;
    this.#answering = patterns;
    this.#files = files;
    this.#count = count;
  }

  /** None yet. */
  static below(top: string): IgnoreRules {
    return new IgnoreRules(top, ignore({ ignorecase: false }), 0, 0);
  }

  /** These and those of a rule file in a folder at or below the top; undefined where that would be too many. */
  with(folder: string, text: string): IgnoreRules | undefined {
    const prefix = folder === this.#top ? '' : `/${escapeName(this.#relative(folder))}/`;
    const patterns = text
      .replace(/^\uFEFF/, '')
      .split('\n')
      .map((line) => line.replace(/\r$/, ''))
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => moveBelow(prefix, line))
      .filter((line) => line !== undefined);
    if (patterns.length === 0) return this;
    if (this.#files >= MAX_FILES || this.#count + patterns.length > MAX_RULES) return undefined;
    const all = ignore({ ignorecase: false }).add(this.#patterns).add(patterns);
    return new IgnoreRules(this.#top, all, this.#files + 1, this.#count + patterns.length);
  }

  /** `path` is below the top; that the folders above it are not ignored is taken into account. */
  ignores(path: string, isFolder: boolean): boolean {
    if (this.#count === 0) return false;
    if (++this.#answers % MAX_ANSWERS === 0)
      this.#answering = ignore({ ignorecase: false }).add(this.#patterns);
    return this.#answering.ignores(`${this.#relative(path)}${isFolder ? '/' : ''}`);
  }

  #relative(path: string): string {
    return path.slice(this.#top === '/' ? 1 : this.#top.length + 1);
  }
}

const escapeName = (path: string) => path.replace(/[\\*?[\]!# ]/g, String.raw`\$&`);

/** A pattern as it would be spelled in the rule file of the top. */
function moveBelow(prefix: string, line: string): string | undefined {
  const isWish = line.startsWith('!');
  let body = isWish ? line.slice(1) : line;
  const globstars = body.match(/(?<=^|\/)\*{2,}(?=\/)/g)?.length ?? 0;
  if (globstars > MAX_GLOBSTARS) {
    // What leaves out more instead does no harm; what lets more in would.
    if (isWish) return undefined;
    const start = body.search(/(?<=^|\/)\*{2,}(?=\/)/);
    body = body.slice(0, start) + body.slice(body.search(/(?<=^|\/)\*{2,}\/(?!.*\/\*{2,}\/)/));
  }
  if (prefix === '') return (isWish ? '!' : '') + body;
  const plain = body.replace(/^\\(?=[!#])/, '');
  const isAnchored = /\/(?=\s*\S)/.test(plain);
  const moved = isAnchored ? prefix + plain.replace(/^\//, '') : `${prefix}**/${plain}`;
  return (isWish ? '!' : '') + moved;
}
