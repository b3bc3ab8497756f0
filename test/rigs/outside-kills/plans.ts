import type { Random } from '../crash/random.ts';

/** What a task's command does. */
export type Plan = 'quick' | 'lines' | 'flaky' | 'hopeless' | 'once' | 'endless';

/** More often what is under way for a while. */
export const plans: readonly Plan[] = [
  'quick',
  'quick',
  'lines',
  'lines',
  'lines',
  'flaky',
  'hopeless',
  'once',
  'endless',
];

/** Runs write here when they begin and end, beside what the daemon knows of them. */
export const runsFile = 'runs.txt';

const write = (what: string) => `echo "${what} $SVC_TASK_ID $SVC_RUN" >> "$HOME/${runsFile}"`;

/** What a completed task prints last. */
export const lastLineOf = (word: string): string => `did ${word}`;

/** A command that follows the plan and writes down that it ran. */
export function commandOf(plan: Plan, word: string, random: Random): string {
  const lines = (count: number) =>
    `i=0; while [ $i -lt ${count} ]; do i=$((i+1)); echo "line $i"; sleep 0.0${random.between(1, 4)}; done`;
  const steps: Record<Plan, string> = {
    quick: ':',
    lines: lines(random.between(3, 10)),
    flaky: 'mkdir "$HOME/once-$SVC_TASK_ID" 2>/dev/null && exit 1',
    hopeless: 'exit 3',
    once: lines(3),
    endless: 'sleep 600',
  };
  return [write('begin'), steps[plan], `echo "${lastLineOf(word)}"`, write('end')].join('\n');
}
