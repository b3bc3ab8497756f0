/**
 * What only daemons that share a database need.
 *
 * `daemons`: who serves, renewed by each daemon; `labels` and `agents` are JSON lists, `drain` is what one was ordered.
 * `leases`: who does a work that only one daemon may do, until when by the clock of the database; `fence` counts the owners.
 * `sections`: what only one transaction may do at a time; it holds the row until it commits.
 */
export const clusterTables = `
  create table daemons (
    id text primary key, host text not null, version text not null, role text not null,
    labels text not null default '[]', agents text not null default '[]', slots bigint not null default 0,
    drain text, started_at text not null, seen_at text not null
  );
  create index daemons_by_contact on daemons (seen_at);

  create table leases (
    name text primary key, owner text not null, fence bigint not null, expires_at text not null
  ) with (fillfactor = 50);

  create table sections (name text primary key) with (fillfactor = 10);
`;
