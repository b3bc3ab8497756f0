import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import Fastify from 'fastify';

/**
 * The least that a durable task costs: a Fastify that inserts a row and answers once it is on the disk. Requests of one
 * turn of the event loop share a commit.
 */
const home = process.env['SVC_HOME'];
if (home === undefined) throw new Error('SVC_HOME names the directory of the database');
const database = new DatabaseSync(join(home, 'floor.db'));
database.exec(`pragma journal_mode = wal; pragma synchronous = full;
  create table tasks (seq integer primary key, id text not null unique, title text not null, status text not null,
    created_at text not null);
  create table events (task_seq integer not null, type text not null, at text not null);`);
const insert = database.prepare(
  `insert into tasks (id, title, status, created_at) values (?, ?, 'pending', ?)`,
);
const note = database.prepare(`insert into events (task_seq, type, at) values (?, 'created', ?)`);

interface Waiting {
  title: string;
  resolve: (task: object) => void;
  reject: (error: unknown) => void;
}
let waiting: Waiting[] = [];

function commit(): void {
  const group = waiting;
  waiting = [];
  try {
    database.exec('begin immediate');
    const stored = group.map(({ title }) => {
      const task = { id: randomUUID(), title, status: 'pending', createdAt: new Date().toISOString() };
      note.run(insert.run(task.id, title, task.createdAt).lastInsertRowid, task.createdAt);
      return task;
    });
    database.exec('commit');
    for (const [index, { resolve }] of group.entries()) resolve(stored[index] ?? {});
  } catch (error) {
    for (const { reject } of group) reject(error);
  }
}

const server = Fastify();
server.post<{ Body: { title: string } }>('/api/tasks', async ({ body: { title } }, reply) => {
  const task = await new Promise<object>((resolve, reject) => {
    if (waiting.length === 0) setImmediate(commit);
    waiting.push({ title, resolve, reject });
  });
  return reply.code(201).send({ message: 'Task created', task });
});
const url = await server.listen({ host: '127.0.0.1', port: 0 });
process.on('SIGTERM', () => process.exit(0));
process.on('message', () => process.send?.(process.cpuUsage()));
process.send?.({ url, headers: {} });
