import { globSync, readFileSync } from 'node:fs';
import { parseSync } from 'oxc-parser';

export interface SourcePattern {
  source: string;
  flags: string;
  /** The files that have it. */
  files: string[];
}
type Node = Record<string, unknown> & { regex?: { pattern: string; flags: string } };

const root = new URL('../..', import.meta.url).pathname;
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** Every regular expression literal of `src`, each once. */
export function literalPatterns(): SourcePattern[] {
  const found = new Map<string, SourcePattern>();
  for (const file of globSync('src/**/*.{ts,tsx}', { cwd: root })) {
    const waiting: unknown[] = [parseSync(file, readFileSync(`${root}${file}`, 'utf8')).program];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (!isNode(node)) continue;
      if (node['type'] === 'Literal' && node.regex) {
        const { pattern: source, flags } = node.regex;
        const key = `/${source}/${flags}`;
        const known = found.get(key);
        if (known) known.files.push(file);
        else found.set(key, { source, flags, files: [file] });
      }
      waiting.push(...Object.values(node).filter(isNode));
    }
  }
  return [...found.values()];
}

/** The files that build a regular expression out of text. */
export const filesThatBuildPatterns = (): string[] =>
  globSync('src/**/*.{ts,tsx}', { cwd: root }).filter((file) =>
    /\bRegExp\(/.test(readFileSync(`${root}${file}`, 'utf8')),
  );

/** What a module builds with `new RegExp` while it is loaded. */
export async function builtPatterns(file: string): Promise<SourcePattern[]> {
  const built: SourcePattern[] = [];
  const Native = globalThis.RegExp;
  globalThis.RegExp = new Proxy(Native, {
    construct(target, args: [string | RegExp, string?], newTarget) {
      const pattern = Reflect.construct(target, args, newTarget) as RegExp;
      built.push({ source: pattern.source, flags: pattern.flags, files: [file] });
      return pattern;
    },
  });
  try {
    await import(`${root}${file}?patterns=${built.length}`);
  } finally {
    globalThis.RegExp = Native;
  }
  return built;
}
