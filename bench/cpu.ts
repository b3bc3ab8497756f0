import { readFileSync, readdirSync } from 'node:fs';

/** Milliseconds of CPU that this process has used. */
export function cpuOfProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Milliseconds of CPU of the processes that this one started, and of theirs that have exited; to 10 ms. */
export function cpuOfChildren(): number {
  const exited = timesOf('self').ofChildren;
  const running = readdirSync('/proc/self/task')
    .flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' '))
    .filter((pid) => pid !== '')
    .map((pid) => timesOf(pid))
    .map(({ own, ofChildren }) => own + ofChildren);
  return running.reduce((sum, ms) => sum + ms, exited);
}

function timesOf(pid: string): { own: number; ofChildren: number } {
  // The name of the program may hold anything, also parentheses.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const [user, system, userOfChildren, systemOfChildren] = fields
    .slice(11, 15)
    .map((ticks) => Number(ticks) * 10);
  return {
    own: Number(user) + Number(system),
    ofChildren: Number(userOfChildren) + Number(systemOfChildren),
  };
}
