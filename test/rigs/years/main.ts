/** `npm run rig:years -- --days N --tasks N`: lives years by a clock of its own and prints how large the database is. */
import { parseArgs } from 'node:util';
import { rowCounts } from './row-counts.ts';
import { startYears } from './years-world.ts';

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '800' },
    tasks: { type: 'string', default: '20' },
    audit: { type: 'string', default: '90' },
  },
});
const days = Number(values.days);
const say = (line: string) => void process.stdout.write(`${line}\n`);
await using world = await startYears({ tasksPerDay: Number(values.tasks), auditDays: Number(values.audit) });
const sizes: number[] = [];
while (world.day() < days) {
  await world.liveOneDay();
  sizes.push(await world.bytes());
  if (world.day() % 40 === 0) say(`day ${world.day()}: ${((await world.bytes()) / 2 ** 20).toFixed(1)} MiB`);
}
say(JSON.stringify(await rowCounts(world.app)));
const { valid, entries } = await world.app.auditEntries.verify();
say(`the audit log of ${entries} entries is ${valid ? 'valid' : 'NOT valid'}`);
const half = Math.max(...sizes.slice(375, 395));
const last = Math.max(...sizes.slice(-20));
if (days >= 400) {
  say(`largest in days 376 to 395: ${half}, in the last 20: ${last}`);
  if (last > half * 1.05 || !valid) process.exitCode = 1;
}
