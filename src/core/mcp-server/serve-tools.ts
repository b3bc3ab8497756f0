import {
  type JSONRPCMessage,
  ProtocolError,
  ProtocolErrorCode,
  type Server,
  type ServerContext,
  type Tool,
} from '@modelcontextprotocol/server';
import type { JsonRpcMessage } from '../../contract/mcp.ts';
import { safeParse } from '../../contract/safe-parse.ts';
import type { Caller } from '../auth/caller.ts';
import { askPerson, personAt } from './ask-person.ts';
import type { PersonQuestions } from './person-questions.ts';
import { reportProgress } from './report-progress.ts';
import { type AskPerson, mayCall, requireMayCall, type ServedTool } from './served-tool.ts';
import { declaresTasks, type LongTasks } from './long-tasks.ts';
import { explainError, explainIssues } from './tool-errors.ts';
import { toToolSchema } from './tool-schema.ts';
import { toFailure, toResult } from './tool-result.ts';

export interface ToolServing {
  caller: Caller;
  tools: readonly ServedTool[];
  longTasks: LongTasks;
  /** The session of a client that takes questions while a call runs. */
  session: string | undefined;
  questions: Pick<PersonQuestions, 'ask'>;
}

/** Answers `tools/list` with the tools that the caller may call, and `tools/call`. */
export function serveTools(server: Server, serving: ToolServing): void {
  const { caller, tools, longTasks } = serving;
  server.setRequestHandler('tools/list', () => ({
    tools: tools.filter((tool) => mayCall(caller, tool)).map(describe),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = tools.find(({ name }) => name === params.name);
    if (!tool) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool');
    try {
      requireMayCall(caller, tool);
      const input = safeParse(tool.input, params.arguments ?? {});
      if (!input.success) return toFailure(explainIssues(input.error));
      return await call(tool, input.data, context);
    } catch (error) {
      const text = explainError(error);
      if (text === undefined) throw error;
      // A result, because a model can do something about it.
      return toFailure(text);
    }
  });

  const call = async (tool: ServedTool, input: unknown, context: ServerContext) => {
    const answer = await tool.run(input, {
      caller,
      signal: context.mcpReq.signal,
      report: reportProgress(context),
      takesHandle: declaresTasks(context),
      person: personAt(context),
      ask: askIn(server, serving, context),
    });
    if ('confirm' in answer) return askPerson(answer.confirm);
    if ('handle' in answer) return longTasks.handle(caller, answer.handle);
    return toResult(answer);
  };
}

/** How to ask the person at the client while the call runs; undefined where it cannot, or acts with an API token. */
function askIn(
  server: Server,
  { caller, session, questions }: ToolServing,
  { mcpReq }: ServerContext,
): AskPerson | undefined {
  if (session === undefined || caller.token || mcpReq.envelope) return undefined;
  const send = async (message: JsonRpcMessage) =>
    server.transport?.send(message as JSONRPCMessage, { relatedRequestId: mcpReq.id });
  return (approval, signal) =>
    questions.ask({ caller, session, send }, approval, AbortSignal.any([signal, mcpReq.signal]));
}

const described = new WeakMap<ServedTool, Tool>();

/** The tool as clients see it; made once, because JSON Schemas are expensive to derive. */
function describe(tool: ServedTool): Tool {
  const known = described.get(tool);
  if (known) return known;
  const { name, title, description, hints, input, output } = tool;
  const made = {
    name,
    title,
    description,
    annotations: { title, ...hints },
    inputSchema: toToolSchema(input, 'input'),
    outputSchema: toToolSchema(output, 'output'),
  } as Tool;
  described.set(tool, made);
  return made;
}
