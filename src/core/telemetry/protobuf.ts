import { BackwardWriter } from './backward-writer.ts';

/** The fields of a message by their names in JSON, each with its number. */
export interface Message {
  readonly [name: string]: readonly [number: number, type: Scalar | Message];
}
type Scalar = keyof typeof scalars;

const VARINT = 0;
const FIXED64 = 1;
const DELIMITED = 2;
const FIXED32 = 5;

/** How values are written, from the JSON form of OTLP: 64-bit integers are decimal texts there, and ids hexadecimal. */
const scalars = {
  bool: [VARINT, (out, value: boolean) => out.varint(value ? 1 : 0)],
  enum: [VARINT, (out, value: number) => out.varint(value)],
  int64: [VARINT, (out, value: string) => out.varint(Number(value))],
  fixed32: [FIXED32, (out, value: number) => out.fixed32(value)],
  fixed64: [FIXED64, (out, value: string) => out.fixed64(BigInt(value))],
  double: [FIXED64, (out, value: number) => out.double(value)],
  string: [DELIMITED, (out, value: string) => out.text(value, 'utf8')],
  bytes: [DELIMITED, (out, value: string) => out.text(value, 'hex')],
} as const satisfies Record<
  string,
  readonly [wireType: number, write: (out: BackwardWriter, value: never) => void]
>;

/**
 * Encodes the JSON form of a message, see https://protobuf.dev/programming-guides/encoding/. What is there is written, also
 * a default; throws for a field that the message does not have.
 */
export function encodeMessage(message: Message, value: object): Uint8Array<ArrayBuffer> {
  const out = new BackwardWriter();
  writeMessage(out, message, value);
  return out.bytes();
}

function writeMessage(out: BackwardWriter, message: Message, value: object): void {
  for (const [name, item] of Object.entries(value).reverse()) {
    if (item === undefined) continue;
    const [number, type] = fieldOf(message, name);
    const wireType = typeof type === 'string' ? scalars[type][0] : DELIMITED;
    const items: unknown[] = Array.isArray(item) ? item : [item];
    // Lists of numbers are packed: they have one header.
    const isPacked = Array.isArray(item) && wireType !== DELIMITED;
    let end = out.length;
    for (const each of items.toReversed()) {
      if (typeof type === 'string') scalars[type][1](out, each as never);
      else writeMessage(out, type, each as object);
      if (isPacked) continue;
      writeHeader(out, { number, wireType, end });
      end = out.length;
    }
    if (isPacked) writeHeader(out, { number, wireType: DELIMITED, end });
  }
}

function fieldOf(message: Message, name: string): Message[string] {
  const field = Object.hasOwn(message, name) ? message[name] : undefined;
  if (!field) throw new Error(`The message has no field ${name}`);
  return field;
}

interface Header {
  number: number;
  wireType: number;
  /** Where the value ends, as a length of what is written. */
  end: number;
}

function writeHeader(out: BackwardWriter, { number, wireType, end }: Header): void {
  if (wireType === DELIMITED) out.varint(out.length - end);
  out.varint((number << 3) | wireType);
}
