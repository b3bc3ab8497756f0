const ADDRESS = /(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n]|\\[^\n])*\/I?)/y;
/** Commands without arguments that write no file and run nothing. */
const PLAIN = new Set('pdqnNDPgGhHxl='.split(''));
const SUBSTITUTION_FLAGS = /[gpiIm\d]*/y;

/** Whether a sed script only changes and prints lines: it writes no file, reads no other one and runs no program. */
export function isPlainSedScript(script: string): boolean {
  let at = 0;
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.exec(script);
    if (found) at += found[0].length;
    return found !== null;
  };
  /** Moves behind the next delimiter that is not escaped. */
  const takeUntil = (delimiter: string): boolean => {
    for (; at < script.length; at++) {
      if (script[at] === '\\') at++;
      else if (script[at] === delimiter) return at++ >= 0;
    }
    return false;
  };
  let open = 0;
  let count = 0;
  for (take(/[\s;]*/y); at < script.length; take(/[\s;]*/y)) {
    if (script[at] === '}') {
      if (--open < 0) return false;
      at++;
      continue;
    }
    if (take(ADDRESS) && take(/\s*,\s*/y) && !take(/[+~]\d+/y) && !take(ADDRESS)) return false;
    take(/\s*!?\s*/y);
    const command = script[at++] ?? '';
    count++;
    if (command === '{') open++;
    else if (command === 's' || command === 'y') {
      const delimiter = script[at++] ?? '';
      if (!/^[^\w\s\\]$/.test(delimiter) || !takeUntil(delimiter) || !takeUntil(delimiter)) return false;
      if (command === 's') take(SUBSTITUTION_FLAGS);
      if (!isEndOfCommand(script, at)) return false;
    } else if (!PLAIN.has(command) || !isEndOfCommand(script, at)) return false;
  }
  return open === 0 && count > 0;
}

const isEndOfCommand = (script: string, at: number) => at >= script.length || /[\s;}]/.test(script[at] ?? '');
