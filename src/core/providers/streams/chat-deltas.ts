import type { AnswerPart } from '../resolved-model.ts';
import { type Fields, type Found, isFields, parseFields, type PlainDeltas } from './plain-deltas.ts';

const THOUGHTS = 'reasoning-0';

/** The fields of a chunk that the packages require to have this type. */
const typeOfField: Record<string, string> = {
  id: 'string',
  object: 'string',
  created: 'number',
  model: 'string',
  system_fingerprint: 'string',
};

/** The fields of a piece in which vendors send thoughts. */
type ThoughtField = 'reasoning' | 'reasoning_content';

export interface ChatDialect {
  /** The id that the package gives to text; undefined where it takes that of the answer. */
  textId: string | undefined;
  /** The fields that the package of the vendor reads thoughts from: the first that is set counts. */
  thoughts: readonly ThoughtField[];
  /** Whether the package starts the text before it ends the thoughts. */
  startsTextFirst?: true;
  /** The fields for thoughts that the package does not read. */
  ignored: readonly ThoughtField[];
}

/** Recognizes the plain pieces of a chat completion of OpenAI's API; a chunk with any field that is not known here is `other`. */
export class ChatDeltas implements PlainDeltas {
  readonly #dialect: ChatDialect;
  #run: 'text' | 'thoughts' | undefined;
  #textId: string | undefined;

  constructor(dialect: ChatDialect) {
    this.#dialect = dialect;
  }

  find(data: string): Found {
    const chunk = parseFields(data);
    if (!chunk || 'error' in chunk || !hasKnownTypes(chunk)) return 'other';
    const { choices } = chunk;
    if (!Array.isArray(choices)) return 'other';
    if (choices.length === 0) return 'quiet';
    const choice: unknown = choices[0];
    if (choices.length > 1 || !isFields(choice)) return 'other';
    const delta = choice['delta'] ?? {};
    if (!isFields(delta)) return 'other';
    const said = this.#read(delta);
    if (said === undefined) return 'other';
    const isPlain = isPlainChunk(chunk) && isPlainChoice(choice);
    if (said.text === '' && said.thoughts === '') return 'quiet';
    if (!isPlain || (said.text !== '' && said.thoughts !== '')) return 'other';
    return said.text === '' ? this.#think(said.thoughts) : this.#say(said.text, chunk);
  }

  /** The text and the thoughts of a piece; undefined where it has anything else. */
  #read(delta: Fields): { text: string; thoughts: string } | undefined {
    const { thoughts: read, ignored } = this.#dialect;
    let text = '';
    for (const name in delta) {
      const value = delta[name];
      if (isNothing(value)) continue;
      if (name === 'content' && typeof value === 'string') text = value;
      else if (name === 'role' && value === 'assistant') continue;
      else if (typeof value !== 'string' || ![...read, ...ignored].includes(name as ThoughtField))
        return undefined;
    }
    for (const name of read) {
      const thoughts = delta[name];
      if (typeof thoughts === 'string') return { text, thoughts };
    }
    return { text, thoughts: '' };
  }

  #say(delta: string, chunk: Fields): Found {
    const id = (this.#textId ??=
      this.#dialect.textId ?? (chunk['id'] as string | null | undefined) ?? undefined);
    if (!id) return 'other';
    const part: AnswerPart = { type: 'text-delta', id, delta };
    const before = this.#run;
    this.#run = 'text';
    if (before === 'text') return { parts: [part], isBeginning: false };
    const start: AnswerPart = { type: 'text-start', id };
    if (before !== 'thoughts') return { parts: [start, part], isBeginning: true };
    const end: AnswerPart = { type: 'reasoning-end', id: THOUGHTS };
    const between = this.#dialect.startsTextFirst ? [start, end] : [end, start];
    return { parts: [...between, part], isBeginning: true };
  }

  #think(delta: string): Found {
    const part: AnswerPart = { type: 'reasoning-delta', id: THOUGHTS, delta };
    if (this.#run === 'thoughts') return { parts: [part], isBeginning: false };
    // Whether it ends the text differs between the packages.
    if (this.#run === 'text') return 'other';
    this.#run = 'thoughts';
    return { parts: [{ type: 'reasoning-start', id: THOUGHTS }, part], isBeginning: true };
  }
}

function hasKnownTypes(chunk: Fields): boolean {
  for (const name in typeOfField)
    if ((chunk[name] ?? null) !== null && typeof chunk[name] !== typeOfField[name]) return false;
  return true;
}

/** No package reads a field that is neither known here nor an object. */
function isPlainChunk(chunk: Fields): boolean {
  for (const name in chunk)
    if (name !== 'choices' && chunk[name] !== null && (name === 'usage' || typeof chunk[name] === 'object'))
      return false;
  return true;
}

function isPlainChoice(choice: Fields): boolean {
  for (const name in choice) {
    const value = choice[name];
    if (value === null || name === 'delta' || name === 'content_filter_results') continue;
    if (name !== 'index' || typeof value !== 'number') return false;
  }
  return typeof choice['index'] === 'number';
}

const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0);
