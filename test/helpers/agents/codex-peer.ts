import { createCodexDriver } from '../../../src/core/agents/drivers/codex/codex-driver.ts';
import type {
  AgentCall,
  AgentDriver,
  AgentUsage,
  PermissionAnswer,
  PermissionQuestion,
  SessionOrder,
  TurnEnd,
} from '../../../src/core/agents/drivers/driver.ts';

type Message = Record<string, unknown>;
const THREAD = 'thread-1';
export const TURN = 'turn-1';

export const order: SessionOrder = { cwd: '/work', mcpServers: [], isSandboxed: false };

/** A driver with a Codex that is played by the test. */
export interface CodexPeer {
  driver: AgentDriver;
  /** Everything that the driver sent. */
  sent: Message[];
  questions: PermissionQuestion[];
  usages: AgentUsage[];
  calls: AgentCall[];
  notes: string[];
  texts: string[];
  steps: () => number;
  notify: (method: string, params: Message) => void;
  /** Sends a request and resolves with the answer. */
  request: (method: string, params: Message) => Promise<Message>;
  /** Ends the turn with this status. */
  complete: (status: string, error?: Message) => void;
}

/** Opens a session with a turn that is under way. */
export async function startCodexTurn(
  decide: (question: PermissionQuestion) => Promise<PermissionAnswer>,
  options: Partial<SessionOrder> = {},
  settings: Message = {},
): Promise<CodexPeer & { end: Promise<TurnEnd> }> {
  const peer = createCodexPeer(decide, {}, settings);
  await peer.driver.open({ ...order, ...options });
  const end = peer.driver.prompt('Do it.');
  peer.notify('turn/started', { threadId: THREAD, turn: { id: TURN } });
  return { ...peer, end };
}

export function createCodexPeer(
  decide: (question: PermissionQuestion) => Promise<PermissionAnswer>,
  started: Message = {},
  settings: Message = {},
): CodexPeer {
  const sent: Message[] = [];
  const waiting = new Map<unknown, (message: Message) => void>();
  const [questions, usages, calls]: [PermissionQuestion[], AgentUsage[], AgentCall[]] = [[], [], []];
  const [notes, texts]: [string[], string[]] = [[], []];
  let steps = 0;
  let nextId = 0;
  const receive = (message: object) => driver.receive(JSON.stringify(message));
  const results: Record<string, object> = {
    initialize: {},
    'config/read': settings,
    'thread/start': { thread: { id: THREAD }, ...started },
    'thread/resume': { thread: { id: THREAD }, ...started },
    'turn/start': { turn: { id: TURN } },
    'turn/interrupt': {},
  };
  const driver = createCodexDriver(
    (message) => {
      const { id, method } = message as Message;
      sent.push(message as Message);
      const result = typeof method === 'string' ? results[method] : undefined;
      if (result) queueMicrotask(() => receive({ id, result }));
      if (method === undefined) waiting.get(id)?.(message as Message);
    },
    {
      onSession: () => undefined,
      onText: (delta) => texts.push(delta),
      onThinking: () => undefined,
      onCall: (call) => calls.push(call),
      onPlan: () => undefined,
      onUsage: (usage) => usages.push(usage),
      onStep: () => steps++,
      onNote: (note) => notes.push(note),
      ask: (question) => {
        questions.push(question);
        return decide(question);
      },
    },
  );
  const notify: CodexPeer['notify'] = (method, params) => receive({ method, params });
  return {
    driver,
    sent,
    questions,
    usages,
    calls,
    notes,
    texts,
    steps: () => steps,
    notify,
    request: (method, params) =>
      new Promise((resolve) => {
        const id = `request-${nextId++}`;
        waiting.set(id, resolve);
        receive({ id, method, params });
      }),
    complete: (status, error) =>
      notify('turn/completed', {
        threadId: THREAD,
        turn: { id: TURN, status, error: error ?? null, items: [] },
      }),
  };
}
