import { startModelServer } from '../../helpers/model-server.ts';
import { answerOf, callsAt, type PlannedCall, planIn } from './agent-plans.ts';

export interface IssuedCall extends PlannedCall {
  id: string;
  /** The name of its plan. */
  plan: string;
}

/** A model that follows the plan that it is given; it lives on when the daemon dies. */
export interface ScriptedModel extends AsyncDisposable {
  url: string;
  /** Every call that it ever asked for, by id. */
  issued: Map<string, IssuedCall>;
  /** What it was told of its calls, by id. */
  told: Map<string, string>;
}

interface Said {
  role: string;
  content: unknown;
  tool_calls?: unknown[];
}

export async function startScriptedModel(): Promise<ScriptedModel> {
  const issued: ScriptedModel['issued'] = new Map();
  const told: ScriptedModel['told'] = new Map();
  const server = await startModelServer((reply, { body }) => {
    server.asked.length = 0;
    const messages: (Said & { tool_call_id?: string })[] = body.messages;
    for (const { role, content, tool_call_id } of messages)
      if (role === 'tool' && tool_call_id !== undefined) told.set(tool_call_id, textOf(content));
    const start = messages.findLastIndex(({ role, content }) => role === 'user' && planIn(textOf(content)));
    const plan = planIn(textOf(messages[start]?.content));
    if (!plan) return reply.json(400, { error: { message: 'There is no plan' } });
    const step = messages.slice(start).filter(({ tool_calls }) => tool_calls !== undefined).length;
    const calls = callsAt(plan, step)?.map((call) => {
      const id = `call-${issued.size + 1}`;
      issued.set(id, { ...call, id, plan: plan.name });
      return { id, name: call.tool, args: call.args };
    });
    if (calls) return reply.calls(body.stream, calls);
    if (!body.stream) return reply.whole(answerOf(plan));
    reply.piece(answerOf(plan));
    reply.end();
  });
  return {
    url: server.url,
    issued,
    told,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const textOf = (content: unknown): string =>
  typeof content === 'string' ? content : JSON.stringify(content ?? '');
