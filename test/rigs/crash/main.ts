/** `npm run rig:crash -- --cycles N [--seed S] [--fault NAME | --all-faults]` */
import { parseArgs } from 'node:util';
import { plantedFaults } from './planted-faults.ts';
import { catchFault, reportOf, runCycles } from './runs.ts';

const { values } = parseArgs({
  options: {
    cycles: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    fault: { type: 'string' },
    'all-faults': { type: 'boolean', default: false },
  },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const seed = Number(values.seed);

if (values['all-faults'] || values.fault !== undefined) {
  const names = values.fault !== undefined ? [values.fault] : Object.keys(plantedFaults);
  for (const name of names) {
    const { caughtAfter, violation, ms } = await catchFault(name, seed);
    const verdict = caughtAfter === undefined ? 'NOT CAUGHT' : `caught after ${caughtAfter} cycles`;
    say(`${name.padEnd(22)} ${verdict.padEnd(24)} ${(ms / 1000).toFixed(1)} s  ${violation?.what ?? ''}`);
    if (caughtAfter === undefined) process.exitCode = 1;
  }
} else {
  const report = await runCycles({ cycles: Number(values.cycles), seed, say });
  say(reportOf(report));
  if (report.failed > 0) process.exitCode = 1;
}
