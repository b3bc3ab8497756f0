import type { Caller } from '../auth/caller.ts';
import type { AnswerEnd } from '../providers/answer-end.ts';
import type { ModelCalls, WholeAnswer } from '../providers/model-calls.ts';
import type { CallRequest } from '../providers/model-request.ts';
import type { AnswerPart, ResolvedModel } from '../providers/resolved-model.ts';
import { forProvider } from './call-settings.ts';
import { type ModelRouter, nameOf } from './model-router.ts';
import type { CallSpending, Spending } from './spending.ts';

/** An answer that has begun. */
export interface OpenAnswer {
  /** The model that answers, as `provider/model`. */
  model: string;
  /** Throws where the answer fails later. */
  parts: AnswerParts;
}

/** The parts of an answer as they come, with its end. */
export type AnswerParts = Pick<AsyncGenerator<readonly AnswerPart[], AnswerEnd>, 'next' | 'return'>;

export interface RoutedCallsDeps {
  router: ModelRouter;
  calls: Pick<ModelCalls, 'answer' | 'parts'>;
  spending: Spending;
}

/** Calls the models that a name stands for, within the caps of the caller. */
export class RoutedCalls {
  readonly #deps: RoutedCallsDeps;
  constructor(deps: RoutedCallsDeps) {
    this.#deps = deps;
  }

  async answer(
    caller: Caller,
    name: string,
    request: CallRequest,
    signal: AbortSignal,
  ): Promise<{ model: string; answer: WholeAnswer }> {
    const { router, calls, spending } = this.#deps;
    await spending.admit(caller);
    const { model, answer } = await router.run(caller, name, async (resolved) => {
      const call = await spending.begin(caller, resolved, request);
      const whole = await calls.answer(resolved, forProvider(request, resolved.provider), signal);
      call.end(whole.usage);
      return whole;
    });
    return { model: nameOf(model), answer };
  }

  /** Resolves when a model begins to answer; a failure before that is thrown, or another model of the route is tried. */
  async open(caller: Caller, name: string, request: CallRequest, signal: AbortSignal): Promise<OpenAnswer> {
    const { router, spending } = this.#deps;
    await spending.admit(caller);
    const { model, answer } = await router.run(caller, name, async (resolved) => {
      const call = await spending.begin(caller, resolved, request);
      return begun(this.#parts(resolved, request, call, signal));
    });
    return { model: nameOf(model), parts: answer };
  }

  async *#parts(
    resolved: ResolvedModel,
    request: CallRequest,
    call: CallSpending,
    signal: AbortSignal,
  ): AsyncGenerator<readonly AnswerPart[], AnswerEnd> {
    const parts = this.#deps.calls.parts(resolved, forProvider(request, resolved.provider), signal);
    let end: AnswerEnd | undefined;
    try {
      let next = await parts.next();
      for (; !next.done; next = await parts.next()) {
        call.take(next.value);
        yield next.value;
      }
      end = next.value;
      return end;
    } finally {
      // Where a cap is reached or the caller leaves, this stops the call of the provider.
      await parts.return(undefined as never);
      call.end(end?.usage);
    }
  }
}

/** Parts that say nothing yet; another model can still answer after them. */
const silent: ReadonlySet<AnswerPart['type']> = new Set<AnswerPart['type']>([
  'stream-start',
  'response-metadata',
  'text-start',
  'reasoning-start',
  'raw',
  'ping',
]);
const isSilent = (part: AnswerPart) => silent.has(part.type) || ('delta' in part && part.delta === '');

/** Reads up to the first part that says something, and gives the answer as it was before. */
async function begun(parts: AnswerParts): Promise<AnswerParts> {
  const read: IteratorResult<readonly AnswerPart[], AnswerEnd>[] = [];
  let next = await parts.next();
  for (; !next.done; next = await parts.next()) {
    read.push(next);
    if (!next.value.every(isSilent)) break;
  }
  if (next.done) read.push(next);
  let at = 0;
  return {
    // No generator of its own: each one takes several turns for each piece of an answer.
    next: () => {
      const known = read[at++];
      return known ? Promise.resolve(known) : parts.next();
    },
    return: (end) => parts.return(end),
  };
}
