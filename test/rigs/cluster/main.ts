/** `npm run rig:cluster -- [--faults N] [--kills N] [--daemons 3] [--seed S] [--only "kill,freeze"]`: faults in turn */
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../cli/svc-binary.ts';
import { runCluster } from './rig.ts';

const { values } = parseArgs({
  options: {
    faults: { type: 'string', default: '20' },
    kills: { type: 'string', default: '0' },
    daemons: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    only: { type: 'string' },
  },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const seed = Number(values.seed);

// An exit takes the daemons along, a signal does not.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
ensureBuilt();
const { violations, bugs, ...report } = await runCluster({
  daemons: Number(values.daemons),
  faults: Number(values.faults),
  kills: Number(values.kills),
  seed,
  names: values.only?.split(','),
  say,
});
for (const violation of violations) say(`VIOLATION (seed ${seed}): ${violation}`);
for (const bug of bugs) say(`BUG: ${bug}`);
say(JSON.stringify({ seed, violations: violations.length, bugs: bugs.length, ...report }, null, 2));
// Node.js 24 does not exit where handles of daemons that were killed are left.
process.exit(violations.length + bugs.length > 0 ? 1 : 0);
