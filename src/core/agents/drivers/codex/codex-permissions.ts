import { messageOf } from '../../../errors.ts';
import type { DriverListener, PermissionAnswer, PermissionQuestion } from '../driver.ts';
import { type JsonRpcParams, methodNotFound } from '../json-rpc.ts';
import { readQuestion } from './codex-questions.ts';
import type { CodexSession } from './codex-session.ts';

/** Answers a request of Codex. What is no question for a permission is refused; `stop` ends the turn. */
export function answerRequest(
  session: CodexSession,
  method: string,
  params: JsonRpcParams,
  stop: () => void,
): Promise<unknown> {
  const found = readQuestion(method, params, session.calls);
  if (!found) return Promise.reject(methodNotFound(method));
  const { turn, listener } = session;
  // Outside a turn there is no run that could be asked.
  if (!turn) return Promise.resolve(found.answer('deny'));
  const decide = async (): Promise<PermissionAnswer['decision']> => {
    if (turn.isCancelled) return 'cancelled';
    const { decision } = await Promise.race([ask(listener, found.question), turn.withdrawn]);
    if (decision === 'cancelled' && session.turn === turn) stop();
    if (decision === 'cancelled' || (decision === 'allow' && found.question.bound)) return decision;
    turn.noteDenial();
    return 'deny';
  };
  const answer = decide().then((decision) => found.answer(decision));
  turn.answers.push(answer);
  return answer;
}

async function ask(listener: DriverListener, question: PermissionQuestion): Promise<PermissionAnswer> {
  try {
    return await listener.ask(question);
  } catch (error) {
    // Without a decision nothing is allowed.
    listener.onNote(`A tool call was denied, because there was no decision: ${messageOf(error)}`);
    return { decision: 'deny' };
  }
}
