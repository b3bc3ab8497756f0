import type { Approval } from '../../contract/approvals.ts';
import type { Verification } from '../../contract/verification.ts';

interface Base {
  /** The number of the event that began it. */
  key: number;
  at: string;
}
export interface NoteRow extends Base {
  kind: 'note';
  tone: 'plain' | 'success' | 'danger';
  text: string;
  /** What a person has to do: `pick`. */
  waitsFor?: string;
}
/** What the agent wrote. */
export interface SaidRow extends Base {
  kind: 'said';
  step: unknown;
  text: string;
}
export interface ThoughtRow extends Base {
  kind: 'thought';
  step: unknown;
  text: string;
  endedAt?: string;
}
/** What an agent reports to have changed in a file. */
export interface CallDiff {
  path: string;
  oldText?: string;
  newText?: string;
  diff?: string;
}
/** A call of a tool with its result. */
export interface CallRow extends Base {
  kind: 'call';
  callId: string;
  name: string;
  arguments: unknown;
  state: 'running' | 'asking' | 'ok' | 'failed' | 'refused' | 'stopped';
  /** When it began to run: after its approval. */
  startedAt: string;
  endedAt?: string;
  result?: string;
  diff?: readonly CallDiff[];
}
export interface PlanRow extends Base {
  kind: 'plan';
  entries: readonly { text: string; status: string }[];
}
export interface ApprovalRow extends Base {
  kind: 'approval';
  approval: Partial<Approval> & { id: string };
  decidedAt?: string;
}
/** Why and until when it waits. */
export interface WaitRow extends Base {
  kind: 'wait';
  reason: 'agent' | 'daemon' | 'retry' | 'limit' | 'outage';
  text: string;
  /** When the next attempt begins. */
  dueAt?: string;
}
/** A round of the commands that verify the work. */
export interface CheckRow extends Base {
  kind: 'check';
  round: number;
  commands: readonly { command: string; exitCode?: number | null; durationMs?: number }[];
  status?: Verification['status'];
  endedAt?: string;
  text: string;
}
export type TimelineRow =
  | NoteRow
  | SaidRow
  | ThoughtRow
  | CallRow
  | PlanRow
  | ApprovalRow
  | WaitRow
  | CheckRow;

/** An attempt at a task, or what came before the first. Changed in place: `version` counts the changes. */
export interface Attempt {
  key: number;
  /** Absent before the first. */
  number?: number;
  agent?: string;
  at: string;
  endedAt?: string;
  /** How it ended; absent while it runs. */
  end?: 'completed' | 'failed' | 'cancelled' | 'interrupted' | 'waiting';
  /** Each is replaced when it changes. */
  rows: TimelineRow[];
  /** Rows from its beginning that are not kept any more. */
  dropped: number;
  version: number;
}
