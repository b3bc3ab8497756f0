import type { RunEventInput } from '../../../contract/run-events.ts';
import type { AcceptedMessage } from '../conversation-service.ts';
import type { RunPlan } from './run-order.ts';
import type { RunLimits } from './run-policy.ts';

/** The first event of a stream: the message that the run answers. */
export const userMessageEvent = (
  { message, compaction }: Pick<AcceptedMessage, 'message' | 'compaction'>,
  taskId?: string,
): RunEventInput => ({
  type: 'user_message',
  data: {
    id: message.id,
    content: message.content,
    compactionApplied: compaction !== undefined,
    messageCount: message.seq,
    ...(taskId !== undefined && { taskId }),
  },
});

/** The event that starts a run, with its limits. */
export const startEvent = (
  { id, taskId, conversationId, model, effort }: RunPlan,
  { steps, tokens, wallMs }: RunLimits,
  instructionFiles: string[],
): RunEventInput => ({
  type: 'session:start',
  data: {
    sessionId: id,
    ...(taskId !== undefined && { taskId }),
    ...(conversationId !== undefined && { conversationId }),
    provider: model.provider,
    model: model.modelId,
    ...(effort !== undefined && { effort }),
    maxSteps: steps,
    maxBudget: tokens,
    timeoutMs: wallMs,
    ...(instructionFiles.length > 0 && { instructionFiles }),
  },
});
