import type { RepairOrder } from '../../agents/agent-adapter.ts';

/** The message that asks an agent for an answer that fits its schema. */
export const outputRepair = (problem: string): RepairOrder => ({
  kind: 'output',
  message: `Your answer does not fit the JSON Schema of the task: ${problem}
Answer again with the JSON alone: no other text, and no Markdown.`,
  isTainted: false,
});
