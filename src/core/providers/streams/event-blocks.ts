/** One event of a stream, or what stands in its place. */
export interface EventBlock {
  /** As it came, with line feeds for line ends. */
  text: string;
  /** The data where the event is one line of data, with or without a name; undefined for every other form. */
  data: string | undefined;
}

const done = /^data: ?\[DONE\]\s*$/;

/**
 * Cuts server-sent events (HTML standard, section 9.2.6) apart, up to `[DONE]`; what follows does not count. An event that
 * ends one message is no end: vendors send several messages in one stream. Looks at each character once.
 */
export class EventBlocks {
  isAtEnd = false;
  readonly #decoder = new TextDecoder();
  #endedWithReturn = false;
  /** The beginning of the present line. */
  #line = '';
  /** The lines of the present event. */
  #text = '';
  #data: string | undefined;
  /** Whether the present event has lines that are neither its name nor its only data. */
  #isSimple = true;
  #hasData = false;

  /** The events that end in these bytes. */
  take(bytes: Uint8Array): EventBlock[] {
    const text = this.#withLineFeeds(this.#decoder.decode(bytes, { stream: true }));
    const blocks: EventBlock[] = [];
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      const line = this.#line + text.slice(start, end);
      this.#line = '';
      start = end + 1;
      if (line === '') blocks.push(this.#endBlock());
      else if (!this.#hasData && done.test(line)) {
        this.isAtEnd = true;
        return blocks;
      } else this.#addLine(line);
    }
    this.#line += text.slice(start);
    return blocks;
  }

  /** What came after the last event, when nothing more comes. */
  rest(): string {
    return this.isAtEnd ? '' : this.#text + this.#line + this.#decoder.decode();
  }

  #addLine(line: string): void {
    this.#text += `${line}\n`;
    if (line.startsWith('data:') && !this.#hasData) {
      this.#hasData = true;
      this.#data = line.slice(line.charCodeAt(5) === SPACE ? 6 : 5);
    } else if (!line.startsWith('event:')) this.#isSimple = false;
    if (line.startsWith('data')) this.#hasData = true;
  }

  #endBlock(): EventBlock {
    const block = { text: `${this.#text}\n`, data: this.#isSimple ? this.#data : undefined };
    this.#text = '';
    this.#data = undefined;
    this.#isSimple = true;
    this.#hasData = false;
    return block;
  }

  #withLineFeeds(text: string): string {
    const isSplit = this.#endedWithReturn && text.startsWith('\n');
    if (text !== '') this.#endedWithReturn = text.endsWith('\r');
    const rest = isSplit ? text.slice(1) : text;
    return rest.includes('\r') ? rest.replaceAll(/\r\n?/g, '\n') : rest;
  }
}

const SPACE = 32;
