import type { Task } from '../../contract/task.ts';
import { wireNames } from '../../contract/vendors.ts';

/** Sources whose text anybody may have written. */
const outside: ReadonlySet<Task['source']> = new Set(Object.values(wireNames));

/** Whether a model wrote the task, and so perhaps untrusted words that it had read. */
export const isCreatedByTool = (metadata: Record<string, unknown> | undefined): boolean =>
  metadata?.['depth'] !== undefined;

/** Whether all that is known of where a task came from says that its text is by people with rights. */
export const isFromInside = ({ source, metadata }: Pick<Task, 'source' | 'metadata'>): boolean =>
  !outside.has(source) && !isCreatedByTool(metadata);
