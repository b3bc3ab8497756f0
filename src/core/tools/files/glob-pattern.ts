import picomatch from 'picomatch';
import { ToolFailure } from '../tool.ts';

/** Converts a glob to a regular expression over paths; a glob without a slash matches file names in any directory. */
export function globPattern(glob: string): RegExp {
  const anywhere = glob.includes('/') ? glob.replace(/^\.?\//, '') : `**/${glob}`;
  try {
    return picomatch.makeRe(anywhere, { dot: true, nonegate: true });
  } catch (cause) {
    throw new ToolFailure(`${glob} is not a glob pattern`, { cause });
  }
}
