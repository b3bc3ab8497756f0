import type { AgentCall } from '../driver.ts';
import { diffOf } from './claude-diff.ts';
import { type Fields, fields, fieldsList, idOf, text } from './claude-messages.ts';
import { kindOf, titleOf } from './claude-tools.ts';

/** The tool calls that have no result yet, each known by its `tool_use_id`. */
export class ClaudeCalls {
  readonly #calls = new Map<string, AgentCall>();
  readonly #onCall: (call: AgentCall) => void;

  constructor(onCall: (call: AgentCall) => void) {
    this.#onCall = onCall;
  }

  /** A call as a message or a permission question describes it; the later description counts. */
  describe(id: string, name: string, input: Fields | undefined): AgentCall {
    const call: AgentCall = this.#calls.get(id) ?? {
      id,
      kind: 'other',
      name,
      title: name,
      status: 'in_progress',
    };
    call.name = name;
    call.kind = kindOf(name);
    if (input) call.input = input;
    call.title = titleOf(name, call.input ?? {});
    this.#calls.set(id, call);
    this.#onCall(call);
    return call;
  }

  /** The end of a call; undefined for one that was never described. `detail` is the CLI's own record of it. */
  finish(part: Fields, detail: unknown): AgentCall | undefined {
    const call = this.#calls.get(idOf(part['tool_use_id']) ?? '');
    if (!call) return undefined;
    this.#calls.delete(call.id);
    call.status = part['is_error'] === true ? 'failed' : 'completed';
    const output = outputOf(part['content']);
    if (output !== undefined) call.output = output;
    // The CLI has no field for it.
    const exit =
      call.kind === 'shell' && call.status === 'failed' && /^Exit code (\d{1,3})\b/.exec(output ?? '');
    if (exit) call.exitCode = Number(exit[1]);
    const diff = call.status === 'completed' && call.kind === 'edit' && diffOf(fields(detail));
    if (diff) call.diff = [diff];
    this.#onCall(call);
    return call;
  }
}

function outputOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return fieldsList(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : `[${text(part['type']) ?? 'data'}]`))
    .join('');
}
