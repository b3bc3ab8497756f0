// Looks for regular expressions in src that take more than linear time, with recheck. What it suspects has to read a
// megabyte of the text that recheck makes up against it. Verdicts are kept in node_modules/.cache, by pattern.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { check } from 'recheck';
import { canRead, pump, pumpsOf } from '../test/helpers/feed-pattern.ts';
import { literalPatterns } from '../test/helpers/source-patterns.ts';

const cacheFile = join(dirname(fileURLToPath(import.meta.url)), '../node_modules/.cache/svc/patterns.json');
const linear = new Set(readCache());
const failures = [];
let verdicts = 0;

const waiting = literalPatterns().filter((each) => !linear.has(nameOf(each)));
const worker = async () => {
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const failure = await complaint(next);
    verdicts++;
    if (failure === undefined) linear.add(nameOf(next));
    else failures.push(`${next.files.join(', ')}: ${nameOf(next)}\n  ${failure}`);
  }
};
await Promise.all([worker(), worker()]);
if (verdicts > 0) {
  mkdirSync(dirname(cacheFile), { recursive: true });
  writeFileSync(cacheFile, JSON.stringify([...linear]));
}
for (const failure of failures) console.error(failure);
process.exit(failures.length > 0 ? 1 : 0);

/** What is wrong with a pattern; undefined where it is linear. */
async function complaint({ source, flags }) {
  const { status, attack, complexity } = await check(source, flags, { timeout: 20_000 });
  if (status === 'safe') return undefined;
  // Bounded repeats look like more than linear to recheck, and it does not read the flag v.
  const texts = attack ? [worstText(attack)] : pumpsOf(source).map((unit) => pump(unit));
  const pattern = new RegExp(source, flags);
  if (texts.every((text) => canRead(pattern, text))) return undefined;
  return `takes ${complexity?.summary ?? 'too much'} time, for example of ${attack?.pattern.slice(0, 200) ?? 'its own letters'}`;
}

function worstText({ pumps, suffix }) {
  const each = Math.ceil((1024 * 1024) / Math.max(1, pumps.length));
  return (
    pumps.map(({ prefix, pump: unit }) => prefix + unit.repeat(Math.ceil(each / unit.length))).join('') +
    suffix
  );
}

function nameOf({ source, flags }) {
  return `/${source}/${flags}`;
}

function readCache() {
  try {
    return JSON.parse(readFileSync(cacheFile, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}
