import type { Caller } from '../auth/caller.ts';
import type { AnswerEnd } from '../providers/answer-end.ts';
import type { ModelCalls, WholeAnswer } from '../providers/model-calls.ts';
import type { CallRequest } from '../providers/model-request.ts';
import type { AnswerPart } from '../providers/resolved-model.ts';
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
      const parts = this.#deps.calls.parts(resolved, forProvider(request, resolved.provider), signal);
      return begun(new SpentParts(parts, call));
    });
    return { model: nameOf(model), parts: answer };
  }
}

/** The parts of an answer within the caps of its caller. Not a generator: one takes several turns for each piece. */
class SpentParts implements AnswerParts {
  readonly #parts: AnswerParts;
  readonly #call: CallSpending;
  #isOver = false;

  constructor(parts: AnswerParts, call: CallSpending) {
    this.#parts = parts;
    this.#call = call;
  }

  async next(): Promise<IteratorResult<readonly AnswerPart[], AnswerEnd>> {
    try {
      const next = await this.#parts.next();
      if (next.done) this.#end(next.value);
      else this.#call.take(next.value);
      return next;
    } catch (error) {
      // Where a cap is reached, this stops the call of the provider.
      await this.return(undefined as never);
      throw error;
    }
  }

  async return(end: AnswerEnd): Promise<IteratorResult<readonly AnswerPart[], AnswerEnd>> {
    try {
      await this.#parts.return(undefined as never);
    } finally {
      this.#end(undefined);
    }
    return { done: true, value: end };
  }

  #end(end: AnswerEnd | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#call.end(end?.usage);
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
