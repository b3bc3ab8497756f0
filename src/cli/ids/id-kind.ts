import type { CallOptions, Client } from '../../contract/client.ts';

/** A lookup stops after this many; older IDs must be given in full. */
const MOST = 20_000;

export interface ListRequest {
  /** The page size. */
  limit: number;
  /** Leaves out what is finished, such as decided approvals and resolved dead letters. */
  isOpenOnly?: boolean;
  /** The id of the parent resource, if the list has one. */
  within?: string;
  request: CallOptions;
}

export interface IdRow {
  id: string;
  label: string;
}

/** What is known about the ids of one kind. */
export interface IdKind {
  /** What such an id begins with, such as `task_`. */
  prefix: string;
  /** A word for it, such as `task`. */
  noun: string;
  /** The command that lists them. */
  listCommand: string;
  /** Rejects with a 404 when there is none; left out where the whole list is as cheap. */
  get?: (client: Client, id: string, request?: CallOptions) => Promise<unknown>;
  /** Lists them, newest first, in pages. */
  list: (client: Client, request: ListRequest) => AsyncIterable<IdRow[]>;
}

interface IdKindInput<Row extends { id: string }> extends Omit<IdKind, 'list'> {
  list: (client: Client, request: ListRequest) => AsyncIterable<Row[]>;
  /** What the completion shows beside the id. */
  label: (row: Row) => string;
}

/** Declares a kind. */
export function idKind<Row extends { id: string }>({ list, label, ...kind }: IdKindInput<Row>): IdKind {
  return {
    ...kind,
    async *list(client, request) {
      for await (const rows of list(client, request))
        yield rows.map((row) => ({ id: row.id, label: label(row) }));
    },
  };
}

/** A list without pages. */
export async function* allAtOnce<Row>(read: () => Promise<Row[]>): AsyncGenerator<Row[]> {
  yield await read();
}

export async function* pagesByOffset<Row>(
  limit: number,
  read: (offset: number) => Promise<Row[]>,
): AsyncGenerator<Row[]> {
  for (let offset = 0; offset < MOST; offset += limit) {
    const rows = await read(offset);
    yield rows;
    if (rows.length < limit) return;
  }
}

export async function* pagesByCursor<Row>(
  read: (cursor: string | undefined) => Promise<{ rows: Row[]; nextCursor?: string | undefined }>,
): AsyncGenerator<Row[]> {
  let cursor: string | undefined;
  for (let seen = 0; seen < MOST;) {
    const { rows, nextCursor } = await read(cursor);
    yield rows;
    seen += rows.length;
    if (nextCursor === undefined) return;
    cursor = nextCursor;
  }
}
