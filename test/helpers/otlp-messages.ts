import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { otlpRequests } from '../../src/core/telemetry/otlp-schema.ts';
import { encodeMessage } from '../../src/core/telemetry/protobuf.ts';

const { root } = protobuf.parse(
  readFileSync(new URL('../fixtures/telemetry/otlp.proto', import.meta.url), 'utf8'),
);
type OtlpMessage =
  | 'ExportTraceServiceRequest'
  | 'ExportTraceServiceResponse'
  | 'ExportMetricsServiceRequest'
  | 'ExportMetricsServiceResponse';

/** Decodes a message of OTLP in Protocol Buffers to its JSON form, with code and a schema that are not those of svc. */
export function decodeOtlp(name: OtlpMessage, bytes: Uint8Array): unknown {
  const type = root.lookupType(`otlp.${name}`);
  return inHex(type.toObject(type.decode(bytes), { longs: String, bytes: Buffer }));
}

/** Encodes the JSON form of a message without ids. */
export function encodeOtlp(name: OtlpMessage, value: object): Uint8Array {
  const type = root.lookupType(`otlp.${name}`);
  return type.encode(type.fromObject(value)).finish();
}

/** What the independent decoder reads from the protobuf that svc makes of the JSON form of a request. */
export const throughProtobuf = (signal: keyof typeof otlpRequests, request: object): unknown =>
  decodeOtlp(
    signal === 'traces' ? 'ExportTraceServiceRequest' : 'ExportMetricsServiceRequest',
    encodeMessage(otlpRequests[signal], request),
  );

/** Protocol Buffers do not tell an empty list from none. */
export function withoutEmptyLists(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutEmptyLists);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, item]) => !(Array.isArray(item) && item.length === 0));
  return Object.fromEntries(fields.map(([name, item]) => [name, withoutEmptyLists(item)]));
}

/** OTLP writes bytes in hexadecimal. */
function inHex(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (Array.isArray(value)) return value.map(inHex);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, inHex(item)]));
}
