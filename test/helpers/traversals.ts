const steps = [
  '..',
  '.',
  '',
  '%2e%2e',
  '..;',
  '.. ',
  '...',
  '\u2025',
  '..\\',
  '%252e%252e',
  '%c0%ae%c0%ae',
  '~',
];
const prefixes = ['/', '', './', '//', '\\', 'file://', 'C:\\', '/proc/self/root/', '/proc/self/cwd/', '~/'];

/** Many spellings of a way from a folder to a file elsewhere, all different, the same at each call. */
export function traversals(folder: string, target: string, count: number): string[] {
  let seed = 20261122;
  const next = (below: number) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed % below;
  };
  const pick = (from: string[]) => from[next(from.length)] ?? '';
  const spellings = new Set<string>();
  for (let at = 0; spellings.size < count; at++) {
    const up = Array.from({ length: 1 + next(12) }, () => pick(steps)).join(pick(['/', '\\', '%2f', '//']));
    const start = pick([folder, `${folder}/`, `${folder}/docs`, ...prefixes]);
    const end = pick([
      target,
      target.slice(1),
      encodeURIComponent(target),
      `${target}\n`,
      target.toUpperCase(),
    ]);
    spellings.add(`${start}${start.endsWith('/') ? '' : '/'}${up}/${end}${at % 7 === 0 ? `?${at}` : ''}`);
    if (at % 50 === 0) spellings.add(`${target}${'/.'.repeat(at / 50)}`);
  }
  return [...spellings].slice(0, count);
}
