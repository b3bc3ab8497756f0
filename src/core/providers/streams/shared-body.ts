import type { AnswerPart } from '../resolved-model.ts';
import { EventBlocks } from './event-blocks.ts';
import type { PlainDeltas } from './plain-deltas.ts';
import { skipRest } from '../event-stream-end.ts';

/**
 * The body of a streamed answer, read in two places: the plain pieces of text and thoughts, which are nearly all of it,
 * here; everything else by the package of the vendor, whose streams cost many times as much for each event. From the
 * first event that is not known here, the package reads all. It also gets the first piece of every run of pieces, so that
 * it knows of the text: the parts that it makes of those were yielded here already, and `repeated` counts them.
 */
export class SharedBody {
  /** How many of the visible parts of the package have been yielded already. */
  repeated = 0;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #deltas: PlainDeltas;
  readonly #blocks = new EventBlocks();
  readonly #turn = Promise.withResolvers<void>();
  /** What the package has not read yet. */
  #forPackage: string[] = [];
  #isOver = false;
  #failure: { error: unknown } | undefined;

  constructor(body: ReadableStream<Uint8Array>, deltas: PlainDeltas) {
    this.#reader = body.getReader();
    this.#deltas = deltas;
  }

  /** The body that the package reads; nothing comes of it before the plain pieces are over. */
  forPackage(): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    return new ReadableStream(
      {
        pull: async (controller) => {
          await this.#turn.promise;
          const text = await this.#next();
          if (text === undefined) controller.close();
          else controller.enqueue(encoder.encode(text));
        },
        cancel: (reason) => this.cancel(reason),
      },
      { highWaterMark: 0 },
    );
  }

  /** Yields the plain pieces; after that it is the turn of the package. */
  async *plainParts(signal: AbortSignal | undefined): AsyncGenerator<readonly AnswerPart[], void> {
    // A pending read must end with the request, even where the package does not pass the signal on.
    const cancel = () => void this.cancel().catch(() => undefined);
    signal?.addEventListener('abort', cancel);
    try {
      for (let isPlain = true; isPlain && !this.#isOver;) {
        const parts: AnswerPart[] = [];
        for (const { text, data } of await this.#read()) {
          if (isPlain && isComment(text)) continue;
          const found = isPlain && data !== undefined ? this.#deltas.find(data) : 'other';
          if (found === 'other') isPlain = false;
          if (typeof found === 'object') {
            parts.push(...found.parts);
            if (!found.isBeginning) continue;
            this.repeated += found.parts.filter(isVisible).length;
          }
          this.#forPackage.push(text);
        }
        if (parts.length > 0) yield parts;
      }
    } finally {
      signal?.removeEventListener('abort', cancel);
      this.#turn.resolve();
    }
  }

  /** Stops reading. */
  async cancel(reason?: unknown): Promise<void> {
    this.#isOver = true;
    await this.#reader.cancel(reason);
  }

  /** The next text for the package; undefined at the end. Throws what the connection failed with. */
  async #next(): Promise<string | undefined> {
    for (;;) {
      const text = this.#forPackage.join('');
      this.#forPackage = [];
      if (text !== '') return text;
      if (this.#failure) throw this.#failure.error;
      if (this.#isOver) return undefined;
      this.#forPackage = (await this.#read()).map((block) => block.text);
    }
  }

  async #read() {
    try {
      const { done, value } = await this.#reader.read();
      if (!done) {
        const blocks = this.#blocks.take(value);
        if (this.#blocks.isAtEnd) {
          this.#isOver = true;
          skipRest(this.#reader).catch(() => undefined);
        }
        return blocks;
      }
    } catch (error) {
      this.#failure = { error };
    }
    this.#isOver = true;
    const text = this.#blocks.rest();
    return text === '' ? [] : [{ text, data: undefined }];
  }
}

/** Comments keep a connection alive; some vendors send them for long. */
const isComment = (text: string): boolean =>
  text === '\n' || (text.startsWith(':') && /^(:.*\n)*\n$/.test(text));

const visibleTypes: ReadonlySet<string> = new Set<AnswerPart['type']>([
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
]);

/** Some packages make parts of empty pieces too. */
const isVisible = (part: AnswerPart): boolean =>
  visibleTypes.has(part.type) && !('delta' in part && part.delta === '' && !part.providerMetadata);

/** Drops the first visible parts, which were yielded before. */
export async function* withoutRepeated(
  lists: AsyncGenerator<readonly AnswerPart[], void>,
  repeated: number,
): AsyncGenerator<readonly AnswerPart[], void> {
  let left = repeated;
  for await (const list of lists)
    yield left > 0 ? list.filter((part) => !isVisible(part) || left-- <= 0) : list;
}
