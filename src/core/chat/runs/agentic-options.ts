import type { SendAgenticMessage } from '../../../contract/run-events.ts';

/** The options of an agentic message that its task does not hold. */
export interface AgenticOptions extends Omit<SendAgenticMessage, 'content'> {
  userMessageId: string;
  /** The id of the answer, the same in every attempt. */
  answerId: string;
  mayRunCommands: boolean;
}
