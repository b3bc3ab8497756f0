import { closeSync, readdirSync, readFileSync } from 'node:fs';
import { DESCRIPTORS } from '../paths/open-verified.ts';
import { codeOf } from '../paths/file-errors.ts';

/** The flag of a descriptor that closes when another program starts, as Linux prints it. */
const CLOSE_ON_EXEC = 0o2000000;
/** The highest standard descriptor: input, output, errors. */
const STANDARD = 2;

/** They can only have come before the first program starts, and to look at all of them takes milliseconds. */
let isDone = false;

/**
 * Closes every descriptor that a started program would inherit besides its standard ones. Node.js opens its own so that no
 * program inherits them; the others came from the parent of this process, and Node.js hides only the lowest of those.
 * Other systems than Linux pass none on.
 */
export function closeInheritedDescriptors(): void {
  if (process.platform !== 'linux' || isDone) return;
  for (const name of readdirSync(DESCRIPTORS)) {
    const descriptor = Number(name);
    if (descriptor > STANDARD && isInherited(descriptor)) closeSync(descriptor);
  }
  isDone = true;
}

function isInherited(descriptor: number): boolean {
  try {
    const [, flags = ''] =
      /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1')) ?? [];
    return (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch (error) {
    // The one that listed the directory is closed by now.
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}
