import type { AnsweredToolCall } from '../../contract/openai/chat-completions.ts';
import type { AnswerPart } from '../providers/resolved-model.ts';
import { isOwnCall, toToolCall } from './answer-fields.ts';

/** A step of a streamed call: it begins, gets more of its arguments, or is whole. */
export type CallStep =
  | { kind: 'start'; index: number; id: string; name: string }
  | { kind: 'arguments'; index: number; delta: string }
  | { kind: 'end'; index: number; call: AnsweredToolCall };

interface OpenCall {
  index: number;
  name: string;
  sent: string;
}

/** Follows the calls of a streamed answer; some packages send a call in pieces, and some only whole. */
export class CallDeltas {
  readonly #open = new Map<string, OpenCall>();
  readonly #foreign = new Set<string>();
  readonly #offered: ReadonlySet<string>;

  /** `offered` names the tools of the caller: whose tool another one is, some packages say only at the end of its call. */
  constructor(offered: Iterable<string>) {
    this.#offered = new Set(offered);
  }

  get hasCalls(): boolean {
    return this.#open.size > 0;
  }

  /** The steps that a part makes; none where it is not about a call that the caller runs. */
  take(part: AnswerPart): CallStep[] {
    if (part.type === 'tool-input-start') {
      if (part.providerExecuted) this.#foreign.add(part.id);
      else if (this.#offered.has(part.toolName)) return [this.#start(part.id, part.toolName)];
    } else if (part.type === 'tool-input-delta') {
      const call = this.#open.get(part.id);
      if (!call || part.delta === '') return [];
      call.sent += part.delta;
      return [{ kind: 'arguments', index: call.index, delta: part.delta }];
    } else if (part.type === 'tool-call' && isOwnCall(part) && !this.#foreign.has(part.toolCallId))
      return this.#end(part);
    return [];
  }

  #start(id: string, name: string): CallStep {
    const index = this.#open.size;
    this.#open.set(id, { index, name, sent: '' });
    return { kind: 'start', index, id, name };
  }

  #end(part: Extract<AnswerPart, { type: 'tool-call' }>): CallStep[] {
    const known = this.#open.get(part.toolCallId);
    const started = known ? [] : [this.#start(part.toolCallId, part.toolName)];
    const { index, sent } = known ?? { index: this.#open.size - 1, sent: '' };
    const whole = toToolCall(part);
    // A package may tidy up the arguments at the end; those that were sent stay as they are.
    const rest = sent === '' ? whole.function.arguments : '';
    const call = sent === '' ? whole : { ...whole, function: { ...whole.function, arguments: sent } };
    return [
      ...started,
      ...(rest === '' ? [] : [{ kind: 'arguments' as const, index, delta: rest }]),
      { kind: 'end', index, call },
    ];
  }
}
