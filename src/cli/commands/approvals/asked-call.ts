import type { TaskEvent } from '../../../contract/task.ts';
import type { AskedCall } from './format-call.ts';

/** The call that an `approval_requested` event is about; undefined for every other event. */
export function askedCall({ type, data }: TaskEvent): AskedCall | undefined {
  if (type !== 'approval_requested') return undefined;
  const { params } = data;
  const text = (name: string) => textOf(data[name]);
  return {
    id: text('approvalId'),
    toolName: text('toolName'),
    params: typeof params === 'object' && params !== null && !Array.isArray(params) ? params : {},
    cwd: text('cwd'),
    reason: text('reason'),
    expiresAt: text('expiresAt'),
  };
}

/** The ID of the approval that an `approval_decided` event is about; undefined for every other event. */
export const decidedApproval = ({ type, data }: TaskEvent): string | undefined =>
  type === 'approval_decided' ? textOf(data['approvalId']) : undefined;

const textOf = (value: TaskEvent['data'][string] | undefined) => (typeof value === 'string' ? value : '');
