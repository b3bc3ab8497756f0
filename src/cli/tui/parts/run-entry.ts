import type { RunEvent } from '../../../contract/run-events.ts';
import type { Tone } from './line.ts';

type Arguments = Extract<RunEvent, { type: 'tool:call' }>['data']['arguments'];

interface Part {
  /** The same for as long as the entry is there. */
  key: string;
}
export interface PersonEntry extends Part {
  kind: 'person';
  text: string;
  /** Once the daemon has stored it. */
  messageId?: string;
}
export interface TextEntry extends Part {
  kind: 'text';
  text: string;
  isComplete: boolean;
}
export interface ThinkingEntry extends Part {
  kind: 'thinking';
  step: number;
  text: string;
  startedAt: number;
  /** Undefined while it thinks. */
  endedAt?: number;
}
export interface ToolEntry extends Part {
  kind: 'tool';
  callId: string;
  name: string;
  arguments: Arguments;
  state: 'running' | 'asking' | 'ok' | 'failed' | 'stopped';
  result?: string;
  /** Unknown in a conversation that was read again. */
  startedAt?: number;
  endedAt?: number;
}
export interface NoteEntry extends Part {
  kind: 'note';
  tone: Tone;
  text: string;
}
/** What a program wrote, as it wrote it. */
export interface OutputEntry extends Part {
  kind: 'output';
  stream: 'stdout' | 'stderr';
  text: string;
}
/** What a run changed in files. */
export interface PatchEntry extends Part {
  kind: 'patch';
  patch: string;
}
/** What an agent plans to do, as far as it has come. */
export interface PlanEntry extends Part {
  kind: 'plan';
  steps: readonly { text: string; status: string }[];
}
/** What stands below each other in a transcript. */
export type RunEntry =
  | PersonEntry
  | TextEntry
  | ThinkingEntry
  | ToolEntry
  | NoteEntry
  | OutputEntry
  | PatchEntry
  | PlanEntry;
