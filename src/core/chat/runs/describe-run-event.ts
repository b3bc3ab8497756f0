import type { RunEventInput } from '../../../contract/run-events.ts';

/** Describes a run event for people: the text of a model unchanged, everything else in one line, or an empty string. */
export function describeRunEvent({ type, data }: RunEventInput): string {
  switch (type) {
    case 'text:delta':
      return data.delta;
    case 'session:start':
      return [`Started ${data.model}`, ...(data.instructionFiles ?? [])].join(', following ');
    case 'agent:start':
      return ['Started', data.agent, data.version, data.model && `with ${data.model}`]
        .filter(Boolean)
        .join(' ');
    case 'plan':
      return `Plan: ${data.entries.filter(({ status }) => status === 'completed').length} of ${data.entries.length} done`;
    case 'usage':
      return '';
    case 'step:start':
      return `Step ${data.step}`;
    case 'tool:call':
      return `${data.name} ${firstArgument(data.arguments)}`.trim();
    case 'tool:result':
      return data.result.success ? 'ok' : `failed: ${oneLine(data.result.content)}`;
    case 'approval:requested':
      return `Approval needed: ${data.approval.toolName}. ${data.approval.reason}`;
    case 'approval:decided':
      return `Approval of ${data.approval.toolName}: ${data.approval.decision ?? data.approval.status}`;
    case 'compaction':
      return 'Older steps summarized';
    case 'error':
    case 'note':
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

/** Only the first argument, which identifies the call: a path, a command, a query. */
function firstArgument(args: unknown): string {
  if (typeof args !== 'object' || args === null) return '';
  const [first] = Object.values(args);
  return oneLine(typeof first === 'string' ? first : first === undefined ? '' : JSON.stringify(first));
}
