import { mkdtempSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer } from './child.ts';

/** Common, rare and old values of what tasks are filtered by, with words that many, some or few tasks have. */
const columns = {
  id: "printf('task_%032d', i)",
  owner_id: "case when i % 100 = 0 then 'user_ann' else 'user_owner' end",
  title: "'Task number ' || i",
  status: "case when i % 10 = 0 then 'failed' when i % 1001 = 0 then 'cancelled' else 'completed' end",
  priority: '1 + (i * 7919 / 64) % 4',
  source: "case when i % 50 = 0 then 'codehost' when i % 7 = 0 then 'cron' else 'api' end",
  source_id: "case when i % 50 = 0 then 'o/r#' || i end",
  labels: `'["nightly","l' || (i % 1000) || '","' || case when i < MANY * 0.4 then 'old' else 'new' end || '"]'`,
  repository: "'org/r' || (i % 300)",
  cwd: "'/home/ada/p' || (i % 100)",
  assigned_agent: "case when i % 20 = 0 then 'command' end",
  agent_type: "case when i < MANY * 0.1 then 'retired' else 'noop' end",
  max_attempts: '3',
  event_seq: '4',
  created_at: "strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + i, 'unixepoch')",
  updated_at: "strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000001 + i, 'unixepoch')",
  started_at: "strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000000 + i, 'unixepoch')",
  completed_at: "strftime('%Y-%m-%dT%H:%M:%S.000Z', 1700000001 + i, 'unixepoch')",
  error: `case when i % 10 = 0 then '{"class":"agent_error","message":"It failed"}' end`,
  description: "'What was asked for in w' || (i % 5000) || ' and x' || ((i * 7919) % 100000)",
  prompt: "'please fix the failing test in module m' || (i % 333) || ' of the project'",
  result: `'{"success":true,"output":"done","model":"m","usage":{"totalTokens":1200}}'`,
};

/** A new home of svc with so many finished tasks. */
export async function homeOfTasks(tasks: number): Promise<string> {
  const home = mkdtempSync(join(tmpdir(), 'svc-bench-'));
  await (await startServer('daemon', { SVC_HOME: home })).stop();
  fillTasks(join(home, 'svc.db'), tasks);
  return home;
}

/** Stores finished tasks, a second apart, with their labels, counts and texts, in an empty database of svc. */
function fillTasks(file: string, tasks: number): void {
  const database = new DatabaseSync(file);
  database.exec(`
    pragma synchronous = off;
    pragma cache_size = -500000;
    begin;
    with recursive n(i) as (select 1 union all select i + 1 from n where i < ${tasks})
    insert into tasks (seq, ${Object.keys(columns).join()})
    select i, ${Object.values(columns).join().replaceAll('MANY', String(tasks))} from n;
    insert into task_labels select value, created_at, seq from tasks, json_each(labels) order by 1, 2, 3;
    insert into task_counts select owner_id, status, priority, source, agent_type, count(*), 0
      from tasks group by 1, 2, 3, 4, 5;
    insert into task_text (rowid, title, description, prompt) select seq, title, description, prompt from tasks order by seq;
    insert into state values ('task_text_seq', '${tasks}');
    commit;
    pragma wal_checkpoint(truncate);`);
  database.close();
}
