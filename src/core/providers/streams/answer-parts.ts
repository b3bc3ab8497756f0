import type { ModelRequest } from '../model-request.ts';
import type { AnswerPart, VendorModel } from '../resolved-model.ts';

/** A model whose answers can be streamed in lists of parts. */
export interface StreamingModel extends VendorModel {
  /** The parts of an answer in their order, those that arrived together in one list. */
  streamParts(options: ModelRequest): AsyncGenerator<readonly AnswerPart[], void>;
}

/** Streams the parts of an answer of any model; ends when the request is aborted, even where the package continues. */
export function answerParts(
  model: VendorModel,
  options: ModelRequest,
): AsyncGenerator<readonly AnswerPart[], void> {
  return 'streamParts' in model
    ? (model as StreamingModel).streamParts(options)
    : packageParts(model, options);
}

async function* packageParts(
  model: VendorModel,
  options: ModelRequest,
): AsyncGenerator<readonly AnswerPart[], void> {
  const { stream } = await model.doStream(options);
  yield* readParts(stream, options.abortSignal);
}

/** Reads the stream of a package part by part. */
export async function* readParts(
  stream: ReadableStream<AnswerPart>,
  signal: AbortSignal | undefined,
): AsyncGenerator<readonly AnswerPart[], void> {
  const reader = stream.getReader();
  const cancel = () => void reader.cancel().catch(() => undefined);
  signal?.addEventListener('abort', cancel);
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) yield [read.value];
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
}
