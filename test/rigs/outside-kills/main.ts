/** `npm run rig:outside-kills -- --kills N [--seed S] [--set-back]` */
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../cli/svc-binary.ts';
import { checkEvidence } from './check.ts';
import { reportOf } from './report.ts';
import { runOutsideKills } from './rig.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    'set-back': { type: 'boolean', default: false },
  },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const seed = Number(values.seed);

// An exit takes the daemon along, a signal does not.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
ensureBuilt();
const report = await runOutsideKills({
  kills: Number(values.kills),
  seed,
  isSetBack: values['set-back'],
  say,
});
const violations = [...report.leftovers, ...checkEvidence(report.evidence)];
for (const violation of violations) say(`VIOLATION (seed ${seed}): ${violation}`);
say(`${violations.length} violations (seed ${seed})\n${reportOf(report)}`);
if (violations.length > 0) process.exitCode = 1;
