import type { Violation } from './check-tasks.ts';
import { CrashRig } from './crash-rig.ts';

/** A planted fault that so many crashes do not show is not caught. */
const FAULT_CYCLES = 25;
/** With a planted fault nothing comes to its end by waiting longer. */
const FAULT_SETTLE_MS = 5000;

export interface CrashReport {
  seed: number;
  passed: number;
  failed: number;
  acknowledged: number;
  takenUp: number;
  poisoned: number;
  /** Works for models, runs of their tools that were counted, and calls of which nobody knew what came of them. */
  plans: number;
  toolRuns: number;
  unknownOutcomes: number;
  /** Deliveries that webhooks were told, those of them that came more than once, issues that were sent in, and schedules. */
  told: number;
  toldAgain: number;
  issues: number;
  schedules: number;
  /** How often the daemon died at each named point under load. */
  deaths: Record<string, number>;
  slowestStartMs: number;
  msPerCycle: number;
}

/** Runs cycles on one data folder; continues after a violation, so that one run shows everything. */
export async function runCycles(options: {
  cycles: number;
  seed: number;
  say?: (line: string) => void;
}): Promise<CrashReport> {
  const { cycles, seed, say = () => undefined } = options;
  const rig = new CrashRig({ seed });
  const started = performance.now();
  let failed = 0;
  const tell = (cycle: string, violations: Violation[]) => {
    if (violations.length === 0) return;
    failed++;
    for (const violation of violations) say(describe(cycle, seed, violation));
  };
  try {
    for (let cycle = 1; cycle <= cycles; cycle++) {
      tell(`cycle ${cycle}`, await rig.cycle());
      if (cycle % 10 === 0)
        say(`${cycle} cycles, ${rig.seen.acknowledged} acknowledged tasks, ${failed} cycles with violations`);
    }
    tell('the end', await rig.finish());
  } finally {
    await rig.close();
  }
  return {
    seed,
    passed: cycles - failed,
    failed,
    ...rig.seen,
    slowestStartMs: Math.round(rig.slowestStartMs),
    msPerCycle: Math.round((performance.now() - started) / cycles),
  };
}

export const reportOf = (report: CrashReport): string =>
  `${report.passed} passed, ${report.failed} failed (seed ${report.seed}, ${report.acknowledged} acknowledged tasks, ` +
  `${report.takenUp} runs taken up again, ${report.poisoned} poisoned, ` +
  `${report.plans} works for models, ${report.toolRuns} runs of their tools, ` +
  `${report.unknownOutcomes} with an outcome that nobody knew, ` +
  `${report.told} deliveries to webhooks, ${report.toldAgain} of them more than once, ${report.issues} issues sent in, ${report.schedules} schedules, ` +
  `slowest start ${report.slowestStartMs} ms, ${report.msPerCycle} ms per cycle)\n` +
  `deaths at named points: ${Object.entries(report.deaths)
    .map(([point, n]) => `${point} ${n}`)
    .sort()
    .join(', ')}`;

/** Runs cycles with a planted fault until the rig complains. */
export async function catchFault(fault: string, seed: number, cycles = FAULT_CYCLES) {
  const rig = new CrashRig({ seed, fault, settleMs: FAULT_SETTLE_MS });
  const started = performance.now();
  const ms = () => performance.now() - started;
  try {
    for (let cycle = 1; cycle <= cycles; cycle++) {
      const [violation] = await rig.cycle();
      if (violation) return { caughtAfter: cycle, violation, ms: ms() };
    }
    return { caughtAfter: undefined, violation: undefined, ms: ms() };
  } finally {
    await rig.close();
  }
}

function describe(cycle: string, seed: number, { what, taskId, events }: Violation): string {
  const lines = [`VIOLATION in ${cycle} (seed ${seed}): ${what}${taskId ? ` [${taskId}]` : ''}`];
  for (const { seq, type, at, message, data } of events ?? [])
    lines.push(`    ${seq} ${at} ${type}: ${message} ${JSON.stringify(data)}`);
  return lines.join('\n');
}
