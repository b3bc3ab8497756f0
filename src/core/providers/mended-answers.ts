import type { VendorModel } from './resolved-model.ts';
import { wrappedModel } from './wrapped-model.ts';

type Content = Awaited<ReturnType<VendorModel['doGenerate']>>['content'];
type StreamPart =
  Awaited<ReturnType<VendorModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;

/** The model, without what makes the SDK refuse its answers or mix up its calls. */
export const withMendedAnswers = (model: VendorModel): VendorModel =>
  wrappedModel(model, {
    doGenerate: async (options) => {
      const answer = await model.doGenerate(options);
      return { ...answer, content: withOwnIds(withoutLooseResults(answer.content)) };
    },
    doStream: async (options) => {
      if (!options.tools?.length) return model.doStream(options);
      const { stream, ...answer } = await model.doStream(options);
      return { ...answer, stream: stream.pipeThrough(giveOwnIds()) };
    },
  });

/** Of a tool of the vendor's that an earlier answer called: the SDK looks for the call, and nobody reads the result here. */
function withoutLooseResults(content: Content): Content {
  const called = new Set(content.map((part) => (part.type === 'tool-call' ? part.toolCallId : undefined)));
  return content.filter((part) => part.type !== 'tool-result' || called.has(part.toolCallId));
}

/** Of calls with the same id the SDK gives the first one for all. */
function withOwnIds(content: Content): Content {
  const renamed = renamer();
  return content.map((part) => (isOwnCall(part) ? renamed(part) : part));
}

function giveOwnIds(): TransformStream<StreamPart, StreamPart> {
  const renamed = renamer();
  return new TransformStream({
    transform: (part, controller) => controller.enqueue(isOwnCall(part) ? renamed(part) : part),
  });
}

type Call = Extract<StreamPart, { type: 'tool-call' }>;
/** Calls that the vendor runs itself have results with their ids. */
const isOwnCall = (part: { type: string }): part is Call =>
  part.type === 'tool-call' && (part as Call).providerExecuted !== true;

/** Changes the end of an id that was there before: some vendors take only so many letters and digits. */
function renamer(): (call: Call) => Call {
  const given = new Set<string>();
  return (call) => {
    let toolCallId = call.toolCallId;
    for (let count = 2; given.has(toolCallId); count++)
      toolCallId = `${call.toolCallId.slice(0, -String(count).length)}${String(count)}`;
    given.add(toolCallId);
    return { ...call, toolCallId };
  };
}
