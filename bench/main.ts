import { writeFileSync } from 'node:fs';
import { type Figure, holds, machine, toMarkdown } from './report.ts';

/** Every measurement by name: `npm run bench` runs all, `npm run bench -- post-tasks` runs one. */
const benches: Record<string, () => Promise<Figure[]>> = {
  'post-tasks': async () => (await import('./post-tasks.ts')).postTasks(),
  gateway: async () => (await import('./gateway.ts')).gateway(),
  inbound: async () => (await import('./inbound.ts')).inbound(),
  outbound: async () => (await import('./outbound.ts')).outbound(),
  'cluster-tasks': async () => (await import('./cluster-tasks.ts')).clusterTasks(),
  'cluster-scale': async () => (await import('./cluster-scale.ts')).clusterScale(),
  'cluster-start-latency': async () => (await import('./start-latency.ts')).clusterStartLatency(),
  'run-tasks': async () => (await import('./run-tasks.ts')).runTasks(),
  'command-tasks': async () => (await import('./command-tasks.ts')).commandTasks(),
  'stored-tasks': async () => (await import('./stored-tasks.ts')).storedTasks(),
  'worst-query': async () => (await import('./worst-query.ts')).worstQuery(),
  'cluster-query': async () => (await import('./worst-query.ts')).clusterQuery(),
  'cluster-lists': async () => (await import('./stored-tasks.ts')).clusterLists(),
  'many-tasks': async () => (await import('./many-tasks.ts')).manyTasks(),
  burst: async () => (await import('./burst.ts')).burst(),
  flood: async () => (await import('./flood.ts')).flood(),
  agents: async () => (await import('./agents.ts')).agents(),
  programs: async () => (await import('./programs.ts')).programs(),
  'sign-in': async () => (await import('./sign-in.ts')).signIn(),
  'session-check': async () => (await import('./session-check.ts')).sessionCheck(),
  'start-latency': async () => (await import('./start-latency.ts')).startLatency(),
  'stream-latency': async () => (await import('./stream-latency.ts')).streamLatency(),
  v1: async () => (await import('./v1.ts')).v1(),
  telemetry: async () => (await import('./telemetry.ts')).telemetry(),
  'stream-agentic': async () => (await import('./stream-agentic.ts')).streamAgentic(),
  'memory-sync': async () => (await import('./memory-sync.ts')).memorySync(),
  'stream-fan': async () => (await import('./stream-fan.ts')).streamFan(),
  'memory-hybrid': async () => (await import('./memory-hybrid.ts')).memoryHybrid(),
  web: async () => (await import('./web.ts')).web(),
  'memory-keyword': async () => (await import('./memory-keyword.ts')).memoryKeyword(),
};

const wanted = process.argv.slice(2);
const names = wanted.length > 0 ? wanted : Object.keys(benches);
const figures: Figure[] = [];
for (const name of names) {
  const bench = benches[name];
  if (!bench) throw new Error(`There is no bench ${name}. There are: ${Object.keys(benches).join(', ')}`);
  console.error(`${name} …`);
  figures.push(...(await bench()));
}
const table = toMarkdown(figures);
console.log(table);
if (wanted.length === 0)
  writeFileSync(
    new URL('results.md', import.meta.url),
    `# Measured\n\nOn ${machine()}, ${new Date().toISOString().slice(0, 10)}. Repeat it with \`npm run bench\`.\nRatios are medians of pairs measured in turn in one run.\n\n${table}\n`,
  );
process.exitCode = figures.every(holds) ? 0 : 1;
