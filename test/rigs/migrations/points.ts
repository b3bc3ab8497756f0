const [, killAt = '0', fault] = process.argv.slice(2);

/** What this process passed so far, by what comes next. */
export const points: string[] = [];
/** A planted fault: the copy has its final name before it is whole. */
export const isInPlace: boolean = fault === 'copy in place';

/** Passes a point at which this process can be made to die. */
export function pass(point: string): void {
  points.push(point);
  if (points.length === Number(killAt)) process.kill(process.pid, 'SIGKILL');
}
