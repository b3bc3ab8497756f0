import { createClaudeDriver } from '../../../src/core/agents/drivers/claude/claude-driver.ts';
import type {
  AgentCall,
  AgentDriver,
  AgentUsage,
  PermissionAnswer,
  PermissionQuestion,
  PlanEntry,
  SessionOrder,
} from '../../../src/core/agents/drivers/driver.ts';

export const order: SessionOrder = { cwd: '/work', mcpServers: [], isSandboxed: false };

/** A driver of Claude Code without a program: what it sends and reports is kept, what it receives is given. */
export interface ClaudeSession {
  driver: AgentDriver;
  sent: Record<string, unknown>[];
  text: string[];
  thinking: string[];
  calls: Map<string, AgentCall>;
  plans: PlanEntry[][];
  usage: AgentUsage[];
  sessions: string[];
  notes: string[];
  questions: PermissionQuestion[];
  steps: number;
  receive(message: object): void;
  /** Answers the initialize request. */
  start(): Promise<Awaited<ReturnType<AgentDriver['open']>>>;
}

export function claudeSession(
  ask: (question: PermissionQuestion) => Promise<PermissionAnswer> = async () => ({ decision: 'allow' }),
): ClaudeSession {
  const sent: Record<string, unknown>[] = [];
  const driver = createClaudeDriver(
    (message) => sent.push(JSON.parse(JSON.stringify(message)) as Record<string, unknown>),
    {
      onSession: (id) => session.sessions.push(id),
      onText: (delta) => session.text.push(delta),
      onThinking: (delta) => session.thinking.push(delta),
      onCall: (call) => session.calls.set(call.id, call),
      onPlan: (entries) => session.plans.push(entries),
      onUsage: (usage) => session.usage.push(usage),
      onStep: () => (session.steps += 1),
      onNote: (note) => session.notes.push(note),
      ask: (question) => {
        session.questions.push(question);
        return ask(question);
      },
    },
  );
  const session: ClaudeSession = {
    driver,
    sent,
    text: [],
    thinking: [],
    calls: new Map(),
    plans: [],
    usage: [],
    sessions: [],
    notes: [],
    questions: [],
    steps: 0,
    receive: (message) => driver.receive(JSON.stringify(message)),
    start: () => {
      const opened = driver.open(order);
      session.receive({
        type: 'control_response',
        response: { subtype: 'success', request_id: sent[0]?.['request_id'], response: {} },
      });
      return opened;
    },
  };
  return session;
}

let messages = 0;

/** A line with a message of the model; of a subagent if a parent is named. */
export const assistant = (content: object[], fields: object = {}, message: object = {}): object => ({
  type: 'assistant',
  message: { id: `msg_${++messages}`, model: 'm1', content, ...message },
  parent_tool_use_id: null,
  session_id: 's1',
  ...fields,
});

export const say = (text: string, fields?: object, message?: object): object =>
  assistant([{ type: 'text', text }], fields, message);

export const use = (id: string, name: string, input: object, fields?: object): object =>
  assistant([{ type: 'tool_use', id, name, input }], fields);

export const toolResult = (id: string, content: unknown, fields: object = {}, part: object = {}): object => ({
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, ...part }] },
  parent_tool_use_id: null,
  session_id: 's1',
  ...fields,
});

export const streamed = (event: object, fields: object = {}): object => ({
  type: 'stream_event',
  event,
  parent_tool_use_id: null,
  session_id: 's1',
  ...fields,
});

export const textDelta = (text: string, fields?: object): object =>
  streamed({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }, fields);

export const asks = (id: string, name: string, input: unknown, callId: string = id): object => ({
  type: 'control_request',
  request_id: id,
  request: { subtype: 'can_use_tool', tool_name: name, input, tool_use_id: callId },
});

export const result = (fields: object = {}): object => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  stop_reason: 'end_turn',
  terminal_reason: 'completed',
  permission_denials: [],
  session_id: 's1',
  ...fields,
});
