import ignore, { type Ignore } from 'ignore';

/** Limits for rule files and patterns, as protection against trees made to exhaust time and memory. */
const MAX_FILES = 50;
const MAX_RULES = 20_000;
/** The matcher's cache is dropped after this many lookups. */
const MAX_CACHED_MATCHES = 10_000;
/** Each further `**` multiplies the cost by the depth of the path. */
const MAX_GLOBSTARS = 2;

/** Applies .gitignore rules below a directory. Immutable: adding a rule file returns new rules. */
export class IgnoreRules {
  /** The directory that all patterns are relative to. */
  readonly #top: string;
  readonly #patterns: Ignore;
  readonly #files: number;
  readonly #count: number;
  #matcher: Ignore;
  #matchCount = 0;
  private constructor(top: string, patterns: Ignore, files: number, count: number) {
    this.#top = top;
    this.#patterns = patterns;
    this.#matcher = patterns;
    this.#files = files;
    this.#count = count;
  }

  /** Empty rules. */
  static below(top: string): IgnoreRules {
    return new IgnoreRules(top, ignore({ ignorecase: false }), 0, 0);
  }

  /** Adds a rule file at or below the top; undefined when that exceeds the limits. */
  with(directory: string, text: string): IgnoreRules | undefined {
    const prefix = directory === this.#top ? '' : `/${escapeName(this.#relative(directory))}/`;
    const patterns = text
      .replace(/^\uFEFF/, '')
      .split('\n')
      .map((line) => line.replace(/\r$/, ''))
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => rebasePattern(prefix, line))
      .filter((line) => line !== undefined);
    if (patterns.length === 0) return this;
    if (this.#files >= MAX_FILES || this.#count + patterns.length > MAX_RULES) return undefined;
    const all = ignore({ ignorecase: false }).add(this.#patterns).add(patterns);
    return new IgnoreRules(this.#top, all, this.#files + 1, this.#count + patterns.length);
  }

  /** `path` must be below the top. An ignored parent directory counts. */
  ignores(path: string, isDirectory: boolean): boolean {
    if (this.#count === 0) return false;
    if (++this.#matchCount % MAX_CACHED_MATCHES === 0)
      this.#matcher = ignore({ ignorecase: false }).add(this.#patterns);
    return this.#matcher.ignores(`${this.#relative(path)}${isDirectory ? '/' : ''}`);
  }

  #relative(path: string): string {
    return path.slice(this.#top === '/' ? 1 : this.#top.length + 1);
  }
}

const escapeName = (path: string) => path.replace(/[\\*?[\]!# ]/g, String.raw`\$&`);

/** Rewrites a pattern as if it stood in the rule file of the top directory. */
function rebasePattern(prefix: string, line: string): string | undefined {
  const isNegated = line.startsWith('!');
  let body = isNegated ? line.slice(1) : line;
  const globstars = body.match(/(?<=^|\/)\*{2,}(?=\/)/g)?.length ?? 0;
  if (globstars > MAX_GLOBSTARS) {
    // Ignoring more is harmless; including more is not.
    if (isNegated) return undefined;
    const start = body.search(/(?<=^|\/)\*{2,}(?=\/)/);
    body = body.slice(0, start) + body.slice(body.search(/(?<=^|\/)\*{2,}\/(?!.*\/\*{2,}\/)/));
  }
  if (prefix === '') return (isNegated ? '!' : '') + body;
  const plain = body.replace(/^\\(?=[!#])/, '');
  const isAnchored = /\/(?=\s*\S)/.test(plain);
  const moved = isAnchored ? prefix + plain.replace(/^\//, '') : `${prefix}**/${plain}`;
  return (isNegated ? '!' : '') + moved;
}
