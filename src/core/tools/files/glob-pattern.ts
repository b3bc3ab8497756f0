import picomatch from 'picomatch';
import { ToolFailure } from '../tool.ts';

/** A glob as an expression over paths; one without a slash means the name of the file, in whatever folder. */
export function globPattern(glob: string): RegExp {
  const anywhere = glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`;
  try {
    return picomatch.makeRe(anywhere, { dot: true, nonegate: true });
  } catch (cause) {
    throw new ToolFailure(`${glob} is not a glob pattern`, { cause });
  }
}
