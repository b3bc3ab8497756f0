import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import type { TaskHead } from '../storage/rows/tasks.ts';
import type { OutputSource } from './output-source.ts';
import { isTerminal } from './task-states.ts';

/** Events whose sizes are read at once. */
const PAGE = 500;
/** Text that is read at once, in bytes. */
const PIECE_BYTES = 64 * 1024;
/** Stands between what an agent said in one step and in the next. */
const GAP = '\n\n';
/** What of the data of an event is needed: `run-event-record.ts` writes the stream and the step first. */
const DATA_START = 48;
const textStart = /^\{"stream":"text"(?:,"step":(\d+))?/;

/** A place in the text: `offset` bytes are before the events after `seq`. */
interface Mark {
  seq: number;
  offset: number;
  step: string | undefined;
}
/** An event with text. */
interface Piece {
  seq: number;
  /** Of the text, with the gap before it. */
  bytes: number;
  hasGap: boolean;
}

/** What agents said in the latest attempt of their tasks: the texts of its events, secrets masked, a gap between steps. */
export class AgentTexts {
  readonly #read: Database['read'];
  constructor({ read }: Pick<Database, 'read'>) {
    this.#read = read;
  }

  async source(task: Pick<TaskHead, 'seq' | 'status'>): Promise<OutputSource> {
    const start = await this.#attemptStart(task.seq);
    const marks: Mark[] = [];
    let size = 0;
    for await (const { mark, pieces } of this.#pages(task.seq, { seq: start, offset: 0, step: undefined })) {
      marks.push(mark);
      size = mark.offset + bytesOf(pieces);
    }
    return {
      size,
      tag: isTerminal(task.status) ? `t${start.toString(36)}-${size.toString(36)}` : undefined,
      read: (from, to) => {
        const mark = marks.findLast(({ offset }) => offset <= from);
        return this.#range(task.seq, mark, from, Math.min(to, size));
      },
    };
  }

  async *#range(taskSeq: number, mark: Mark | undefined, start: number, end: number): AsyncGenerator<Buffer> {
    if (!mark || start >= end) return;
    for await (const page of this.#pages(taskSeq, mark)) {
      let { offset } = page.mark;
      for (const group of groupsOf(page.pieces)) {
        const next = offset + bytesOf(group);
        if (next > start) {
          const bytes = await this.#bytes(taskSeq, group);
          yield bytes.subarray(Math.max(0, start - offset), end - offset);
        }
        offset = next;
        if (offset >= end) return;
      }
    }
  }

  /** The last event before those of the latest attempt. */
  async #attemptStart(taskSeq: number): Promise<number> {
    const row = await this.#read
      .selectFrom('task_events')
      .select((is) => is.fn.max('seq').as('seq'))
      .where('task_seq', '=', taskSeq)
      .where('type', '=', 'started')
      .executeTakeFirst();
    return row?.seq ?? 0;
  }

  /** The sizes of the texts after a mark; pages without text are left out. */
  async *#pages(taskSeq: number, from: Mark): AsyncGenerator<{ mark: Mark; pieces: Piece[] }> {
    let mark = from;
    for (;;) {
      const rows = await this.#read
        .selectFrom('task_events')
        .select([
          'seq',
          sql<number>`octet_length(message)`.as('bytes'),
          sql<string>`substr(data, 1, ${DATA_START})`.as('start'),
        ])
        .where('task_seq', '=', taskSeq)
        .where('seq', '>', mark.seq)
        .where('type', '=', 'output')
        .orderBy('seq')
        .limit(PAGE)
        .execute();
      const { pieces, end } = piecesOf(rows, mark);
      if (pieces.length > 0) yield { mark, pieces };
      if (rows.length < PAGE) return;
      mark = end;
      // Reads are synchronous.
      await nextTurn();
    }
  }

  async #bytes(taskSeq: number, group: Piece[]): Promise<Buffer> {
    const texts = await this.#read
      .selectFrom('task_events')
      .select(['seq', 'message'])
      .where('task_seq', '=', taskSeq)
      .where('seq', '>=', group.at(0)?.seq ?? 0)
      .where('seq', '<=', group.at(-1)?.seq ?? 0)
      .where('type', '=', 'output')
      .execute();
    const textOf = new Map(texts.map(({ seq, message }) => [seq, message]));
    return Buffer.from(
      group.map(({ seq, hasGap }) => (hasGap ? GAP : '') + (textOf.get(seq) ?? '')).join(''),
    );
  }
}

function piecesOf(rows: { seq: number; bytes: number; start: string }[], mark: Mark) {
  const pieces: Piece[] = [];
  let end = mark;
  for (const { seq, bytes, start } of rows) {
    const found = textStart.exec(start);
    const step = found ? found[1] : end.step;
    if (found) {
      const hasGap = end.offset > 0 && step !== end.step;
      pieces.push({ seq, bytes: bytes + (hasGap ? GAP.length : 0), hasGap });
    }
    end = { seq, offset: end.offset + (found ? (pieces.at(-1)?.bytes ?? 0) : 0), step };
  }
  return { pieces, end };
}

/** Pieces that are read together: at least one, and not much more than `PIECE_BYTES`. */
function* groupsOf(pieces: Piece[]): Generator<Piece[]> {
  let group: Piece[] = [];
  for (const piece of pieces) {
    group.push(piece);
    if (bytesOf(group) < PIECE_BYTES) continue;
    yield group;
    group = [];
  }
  if (group.length > 0) yield group;
}

const bytesOf = (pieces: Piece[]) => pieces.reduce((sum, { bytes }) => sum + bytes, 0);
