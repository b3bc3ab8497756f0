import type { CreateTask } from '../../../contract/task.ts';
import type { ProviderName } from '../../../contract/providers.ts';
import { readSchema } from '../run/output-files.ts';

/** What the options say about the work of a task: its checks, its model and its limits. */
export interface WorkOptions {
  /** Labels of a daemon. */
  needs?: string[];
  verify?: string[];
  repair?: number;
  model?: string;
  provider?: ProviderName;
  maxSteps?: number;
  maxBudget?: number;
  maxCost?: string;
  /** Milliseconds. */
  maxTime?: number;
  /** A file. */
  outputSchema?: string;
}

/** The fields of the task that the options describe. */
export const workOf = (options: WorkOptions): Partial<CreateTask> => ({
  ...(options.needs && { needs: options.needs }),
  ...(options.verify && { verify: options.verify }),
  ...(options.repair !== undefined && { repair: options.repair }),
  ...(options.model !== undefined && { model: options.model }),
  ...(options.provider !== undefined && { provider: options.provider }),
  ...(options.maxSteps !== undefined && { maxSteps: options.maxSteps }),
  ...(options.maxBudget !== undefined && { maxBudget: options.maxBudget }),
  ...(options.maxCost !== undefined && { maxCostUsd: options.maxCost.replace(/^\$/, '') }),
  ...(options.maxTime !== undefined && { maxTimeMs: options.maxTime }),
  ...(options.outputSchema !== undefined && { outputSchema: readSchema(options.outputSchema) }),
});
