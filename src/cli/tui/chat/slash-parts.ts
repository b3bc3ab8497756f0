import type { ChatSession } from './chat-session.ts';
import type { ChatEvent, ChatState } from './chat-state.ts';
import type { Choice } from './picker.tsx';

/** Something to choose. */
export interface Question {
  title: string;
  choices: readonly Choice[];
  onPick: (value: string) => void;
}

/** What a slash command works with. */
export interface SlashParts {
  state: ChatState;
  session: ChatSession;
  apply: (event: ChatEvent) => void;
  /** Lets the person choose. */
  choose: (question: Question) => void;
  leave: () => void;
  now: () => number;
  /** Where files are written. */
  folder: string;
  /** Writes a sequence to the terminal that changes nothing on the screen; false where it cannot be that long. */
  copy: (text: string) => boolean;
}
