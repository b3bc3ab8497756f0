import { MAX_CALLS, TooManyCalls } from './call-limit.ts';
import type { AnswerPart, VendorModel } from './resolved-model.ts';
import { wrappedModel } from './wrapped-model.ts';

type Content = Awaited<ReturnType<VendorModel['doGenerate']>>['content'];

/** Wraps a model to repair answers that the SDK would reject or whose call ids are ambiguous. */
export const withRepairedAnswers = (model: VendorModel): VendorModel =>
  wrappedModel(model, {
    doGenerate: async (options) => {
      const answer = await model.doGenerate(options);
      if (answer.content.filter(isOwnCall).length > MAX_CALLS) throw new TooManyCalls();
      return { ...answer, content: withUniqueIds(withoutOrphanResults(answer.content)) };
    },
    doStream: async (options) => {
      if (!options.tools?.length) return model.doStream(options);
      const { stream, ...answer } = await model.doStream(options);
      return { ...answer, stream: stream.pipeThrough(makeIdsUnique()) };
    },
  });

/**
 * Drops results of vendor tools that an earlier answer called: the SDK would look for the call, and the result is not
 * used here.
 */
function withoutOrphanResults(content: Content): Content {
  const called = new Set(content.map((part) => (part.type === 'tool-call' ? part.toolCallId : undefined)));
  return content.filter((part) => part.type !== 'tool-result' || called.has(part.toolCallId));
}

/** Makes the ids of calls unique: for a repeated id the SDK would return the first call each time. */
function withUniqueIds(content: Content): Content {
  const rename = renamer();
  return content.map((part) => (isOwnCall(part) ? rename(part) : part));
}

function makeIdsUnique(): TransformStream<AnswerPart, AnswerPart> {
  const rename = renamer();
  return new TransformStream({
    transform: (part, controller) => controller.enqueue(isOwnCall(part) ? rename(part) : part),
  });
}

type Call = Extract<AnswerPart, { type: 'tool-call' }>;
/** Calls that the vendor runs are left alone: their results refer to the ids. */
const isOwnCall = (part: { type: string }): part is Call =>
  part.type === 'tool-call' && (part as Call).providerExecuted !== true;

/** Replaces the end of a repeated id, because some vendors limit the length of ids. */
function renamer(): (call: Call) => Call {
  const seen = new Set<string>();
  return (call) => {
    let toolCallId = call.toolCallId;
    for (let count = 2; seen.has(toolCallId); count++)
      toolCallId = `${call.toolCallId.slice(0, -String(count).length)}${String(count)}`;
    seen.add(toolCallId);
    return { ...call, toolCallId };
  };
}
