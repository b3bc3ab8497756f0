import { readdirSync, readFileSync } from 'node:fs';

export interface MarkedProcess {
  pid: number;
  /** `installation/task/attempt`. */
  mark: string;
}

/** Every living process that carries the mark of an agent's run, read from /proc; zombies carry nothing any more. */
export function markedProcesses(isOurs: (mark: string) => boolean = () => true): MarkedProcess[] {
  const found: MarkedProcess[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const mark = markOf(name);
    if (mark !== undefined && isOurs(mark)) found.push({ pid: Number(name), mark });
  }
  return found;
}

function markOf(pid: string): string | undefined {
  try {
    const variables = readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0');
    return variables.find((variable) => variable.startsWith('SVC_RUN='))?.slice('SVC_RUN='.length);
  } catch {
    // It ended while we looked.
    return undefined;
  }
}
