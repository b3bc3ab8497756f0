import type { AgentCall } from '../driver.ts';
import { hasWindow } from './codex-failure.ts';
import { type Fields, fieldsOf, idOf, objectsOf, textOf } from './codex-fields.ts';
import type { CodexSession } from './codex-session.ts';
import type { CodexText } from './codex-text.ts';

type Handler = (session: CodexSession, params: Fields) => void;

/**
 * Takes a notification; an unknown one is ignored. Agents that Codex starts itself have threads of their own: their calls, files
 * and tokens count, their words and turns are not the answer.
 */
export function handleNotification(session: CodexSession, method: string, params: Fields): void {
  if (Object.hasOwn(ofAnyThread, method)) ofAnyThread[method]?.(session, params);
  if (Object.hasOwn(ofOwnThread, method) && isOwn(session, params)) ofOwnThread[method]?.(session, params);
}

const isOwn = ({ threadId }: CodexSession, params: Fields) =>
  threadId === undefined || (params['threadId'] ?? threadId) === threadId;

const ofAnyThread: Record<string, Handler> = {
  'item/started': (session, { item }) => noticeCall(session, session.calls.update(fieldsOf(item), false)),
  'item/completed': (session, { item }) => noticeCall(session, session.calls.update(fieldsOf(item), true)),
  'item/commandExecution/outputDelta': (session, { itemId, delta }) =>
    noticeCall(session, typeof delta === 'string' ? session.calls.appendOutput(itemId, delta) : undefined),
  'item/fileChange/patchUpdated': (session, { itemId, changes }) =>
    noticeCall(session, session.calls.updateChanges(itemId, changes)),
  'turn/diff/updated': ({ turn }, { diff }) => turn?.noteDiff(diff),
  'thread/tokenUsage/updated': noticeUsage,
  'account/rateLimits/updated': (session, params) => {
    const rateLimits = fieldsOf(params['rateLimits']);
    if (hasWindow(rateLimits)) session.rateLimits = rateLimits;
  },
  warning: ({ listener }, { message }) => note(listener, message),
  configWarning: ({ listener }, { summary }) => note(listener, summary),
};

const ofOwnThread: Record<string, Handler> = {
  'item/started': ({ turn }, { item }) => {
    const { id, type } = fieldsOf(item);
    if (type === 'agentMessage') turn?.text.appendMessage(idOf(id) ?? '', '');
  },
  'item/completed': ({ turn }, params) => {
    const item = fieldsOf(params['item']);
    const { id, type } = item;
    if (type === 'agentMessage') turn?.completeMessage(item);
    if (type === 'reasoning') turn?.text.completeThinking(idOf(id) ?? '', item);
  },
  'item/agentMessage/delta': withDelta((text, id, delta) => text.appendMessage(id, delta)),
  'item/reasoning/summaryTextDelta': withDelta((text, id, delta) => text.appendThinking(id, delta)),
  'item/reasoning/textDelta': withDelta((text, id, delta) => text.appendThinking(id, delta)),
  'item/reasoning/summaryPartAdded': ({ turn }, { itemId, summaryIndex }) => {
    if (typeof summaryIndex === 'number' && summaryIndex > 0)
      turn?.text.appendThinking(idOf(itemId) ?? '', '\n');
  },
  'turn/plan/updated': ({ listener }, { plan }) =>
    listener.onPlan(
      objectsOf(plan).map(({ step, status }) => ({
        text: textOf(step) ?? '',
        status: textOf(status) ?? 'pending',
      })),
    ),
  error: ({ listener, turn }, { error, willRetry }) => {
    if (willRetry === true) note(listener, fieldsOf(error)['message']);
    else turn?.noteError(error);
  },
  'turn/started': (session, { turn }) => session.nameTurn(session.turn, fieldsOf(turn)['id']),
  'turn/completed': (session, params) => {
    const ended = fieldsOf(params['turn']);
    const id = session.turn?.id;
    // The late end of an earlier turn.
    if (id !== undefined && typeof ended['id'] === 'string' && ended['id'] !== id) return;
    session.endTurn((turn) => turn.complete(ended, session.rateLimits));
  },
};

function withDelta(append: (text: CodexText, id: string, delta: string) => void): Handler {
  return ({ turn }, { itemId, delta }) => {
    if (turn && typeof delta === 'string') append(turn.text, idOf(itemId) ?? '', delta);
  };
}

function noticeCall({ turn, listener }: CodexSession, call: AgentCall | undefined): void {
  if (!call) return;
  turn?.noteCall(call);
  listener.onCall(call);
}

function noticeUsage(session: CodexSession, params: Fields): void {
  const isRepeated = isOwn(session, params) && !session.hasTurn(params['turnId']);
  const isNew = isOwn(session, params) && !session.isResumed;
  const used = session.usage.update(
    textOf(params['threadId']) ?? '',
    fieldsOf(params['tokenUsage']),
    isRepeated ? 'repeated' : isNew ? 'first' : 'continued',
  );
  if (!used) return;
  session.listener.onUsage(used.usage);
  if (used.isStep) session.listener.onStep();
}

function note(listener: CodexSession['listener'], text: unknown): void {
  if (typeof text === 'string' && text !== '') listener.onNote(text);
}
