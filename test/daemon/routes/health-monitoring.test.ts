import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../helpers/daemon.ts';
import { withoutDaemon } from '../../helpers/metrics.ts';
import { type ModelDaemon, startModelDaemon } from '../../helpers/model-daemon.ts';
import { follow } from '../../helpers/tasks.ts';

const docs = join(import.meta.dirname, '../../../docs/monitoring');
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;
if (!hasPromtool && process.env['CI'])
  throw new Error('These tests need promtool (apt package prometheus), and CI skips nothing');

interface Panel {
  title: string;
  targets?: { expr: string }[];
  gridPos: { x: number; y: number; w: number; h: number };
}
const dashboard = JSON.parse(readFileSync(join(docs, 'grafana-dashboard.json'), 'utf8')) as {
  panels: Panel[];
};
const alerts = readFileSync(join(docs, 'alerts.yml'), 'utf8');
/** The queries as Prometheus takes them, without the variables of Grafana. */
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({
    title,
    expr: expr.replaceAll(/\$__(?:range|rate_interval)/g, '5m').replaceAll('$instance', '.*'),
  })),
);
const promtool = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', cwd: docs });
  return { status, output: `${stdout}${stderr}` };
};

describe.skipIf(!hasPromtool)('promtool', () => {
  it('takes the alerts', () => {
    expect(promtool('check', 'rules', 'alerts.yml').output).toMatch(/SUCCESS: \d+ rules found/);
  });

  it('fires each alert when it should, and none on a quiet day', () => {
    const tests = join(import.meta.dirname, '../../fixtures/monitoring/alerts.test.yml');
    const { status, output } = promtool('test', 'rules', tests);
    expect(status, output).toBe(0);
    const text = readFileSync(tests, 'utf8');
    for (const [, name] of alerts.matchAll(/- alert: (\w+)/g)) expect(text).toContain(`alertname="${name}"`);
  });

  it('takes every query of the dashboard', () => {
    const folder = temporaryFolder();
    const rules = queries.map(({ expr }, at) => ({ record: `panel:${at}`, expr }));
    // JSON is YAML.
    writeFileSync(join(folder, 'rules.yml'), JSON.stringify({ groups: [{ name: 'panels', rules }] }));
    const { output } = promtool('check', 'rules', join(folder, 'rules.yml'));
    rmSync(folder, { recursive: true });
    expect(output).toContain(`SUCCESS: ${queries.length} rules found`);
  });
});

describe('what the dashboard and the alerts name', () => {
  let world: ModelDaemon;
  let metrics: string;
  beforeAll(async () => {
    world = await startModelDaemon();
    const { client, url, headers } = world.daemon;
    await follow(client, (await client.tasks.create({ body: { title: 'x' } })).task.id);
    metrics = withoutDaemon(await (await fetch(`${url}/metrics`, { headers })).text());
  });
  afterAll(() => world[Symbol.asyncDispose]());

  const used = [...queries.map(({ expr }) => expr), alerts].join('\n');

  it('each metric is one of the daemon', () => {
    const known = new Set([...metrics.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name));
    const names = [...used.matchAll(/\b(?:svc|process|nodejs)_\w+/g)].map(([name]) => name);
    expect(names.length).toBeGreaterThan(30);
    const unknown = names.filter(
      (name) => !known.has(name) && !known.has(name.replace(/_(bucket|count|sum)$/, '')),
    );
    expect(unknown).toEqual([]);
  });

  it('each status is one that a task can have', () => {
    const selectors = [...used.matchAll(/(svc_tasks\w*)\{[^}]*status=~?"([^"]+)"/g)];
    expect(selectors.length).toBeGreaterThan(5);
    for (const [, name, values = ''] of selectors)
      for (const value of values.split('|')) expect(metrics).toContain(`${name}{status="${value}"}`);
  });

  it('no two panels of the dashboard overlap', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, at) => `${x + (at % w)}/${y + Math.floor(at / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24);
  });
});
