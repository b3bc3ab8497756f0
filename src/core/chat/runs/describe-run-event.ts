import type { RunEventInput } from '../../../contract/run-events.ts';

/** A run event for a person: the text of a model as it is, all else in one line; empty where there is nothing to say. */
export function describeRunEvent({ type, data }: RunEventInput): string {
  switch (type) {
    case 'text:delta':
      return data.delta;
    case 'session:start':
      return `${data.model} begins`;
    case 'step:start':
      return `Step ${data.step}`;
    case 'tool:call':
      return `${data.name} ${shortly(data.arguments)}`.trim();
    case 'tool:result':
      return data.result.success ? 'ok' : `failed: ${oneLine(data.result.content)}`;
    case 'approval:requested':
      return `Approval needed: ${data.approval.toolName}. ${data.approval.reason}`;
    case 'approval:decided':
      return `Approval of ${data.approval.toolName}: ${data.approval.decision ?? data.approval.status}`;
    case 'compaction':
      return 'Older steps were summed up';
    case 'error':
      return data.message;
    case 'summary':
      return oneLine(data.summary);
    case 'thinking:start':
      return 'Thinking';
    case 'thinking:update':
    case 'thinking:end':
    case 'step:complete':
    case 'complete':
    case 'message_saved':
    case 'user_message':
      return '';
  }
}

const oneLine = (text: string) => text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);

/** The first argument says most: a path, a command, a question. */
function shortly(args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const [first] = Object.values(args);
  return oneLine(typeof first === 'string' ? first : first === undefined ? '' : JSON.stringify(first));
}
