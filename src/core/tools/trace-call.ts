import type { Telemetry } from '../telemetry/telemetry.ts';

/** Models name tools and calls as they like. */
const MAX_NAME = 100;

interface Call {
  id: string;
  name: string;
  args: unknown;
  /** The tool of a call that an agent runs itself. */
  tool?: object | undefined;
}
type Answer =
  | { kind: 'done'; result: { success: boolean; content: string; refused?: true } }
  | { kind: 'waiting' };

/** Passes a call through the gate within a span. One that has to wait for a person did not run, and has none. */
export async function traceCall<A extends Answer>(
  telemetry: Telemetry,
  { id, name, args, tool }: Call,
  pass: () => Promise<A>,
): Promise<A> {
  const shown = name.slice(0, MAX_NAME);
  const { showContent } = telemetry;
  const span = telemetry.startSpan(`execute_tool ${shown}`, {
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': shown,
      'gen_ai.tool.call.id': id.slice(0, MAX_NAME),
      'gen_ai.tool.type': tool ? 'extension' : 'function',
      'gen_ai.tool.call.arguments': showContent?.(args),
    },
  });
  try {
    const answer = await telemetry.within(span, pass);
    if (answer.kind === 'waiting') return answer;
    const { success, refused, content } = answer.result;
    span.set({
      'svc.tool.refused': refused,
      'gen_ai.tool.call.result': showContent?.(content),
    });
    span.end(success ? undefined : refused ? 'refused' : 'failed');
    return answer;
  } catch (error) {
    span.end('Error');
    throw error;
  }
}
