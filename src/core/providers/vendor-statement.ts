import { z } from 'zod';
import { safeParse } from '../../contract/safe-parse.ts';

/** The error details in a response of a vendor. */
export interface VendorStatement {
  /** The HTTP status, or that in the error; undefined in the middle of a stream. */
  status: number | undefined;
  /** For people. */
  message: string;
  /** Codes, types and the message in lower case, by which the failure is classified. */
  words: string;
  /** Whether the response does not follow the protocol. */
  isUnreadable: boolean;
}

const text = z.string().catch('');
const word = z
  .union([z.string(), z.number()])
  .transform((value) => String(value))
  .catch('');
const detailsSchema = z
  .object({ message: text, msg: text, reason: text, detail: text, code: word, type: word, status: word })
  .partial();

const thrownSchema = z
  .object({
    name: text,
    message: text,
    statusCode: z.int().optional().catch(undefined),
    responseBody: text,
    data: z.unknown(),
  })
  .partial();

/** Reads an error of the AI SDK, or an error object or text from the stream of a vendor. */
export function readStatement(error: unknown): VendorStatement {
  const thrown: z.output<typeof thrownSchema> =
    error instanceof Error ? (safeParse(thrownSchema, error).data ?? {}) : {};
  const body = error instanceof Error ? (parse(thrown.responseBody ?? '') ?? thrown.data) : error;
  const found = error instanceof Error && body === undefined ? [] : collectDetails(body);
  const stated = found.map(({ message, msg, detail }) => message || msg || detail || '').find(Boolean);
  const isPage = /^\s*</.test(thrown.responseBody ?? '');
  const message = stated ?? (isPage || body !== undefined ? '' : (thrown.message ?? ''));
  const codes = found.flatMap(({ code, type, status, reason }) => [code, type, status, reason]);
  return {
    status: thrown.statusCode ?? statusIn(codes),
    message,
    words: [...codes, message].join(' ').toLowerCase(),
    isUnreadable:
      stated === undefined && (thrown.statusCode ?? 0) < 300 && /^AI_(?!RetryError)/.test(thrown.name ?? ''),
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** Collects the details at every depth where vendors put them, such as `error`, `detail` and `response`. */
function collectDetails(value: unknown, depth = 0): z.output<typeof detailsSchema>[] {
  if (typeof value === 'string') return value === '' ? [] : [{ message: value }];
  if (Array.isArray(value)) return value.slice(0, 5).flatMap((each) => collectDetails(each, depth + 1));
  if (typeof value !== 'object' || value === null || depth > 4) return [];
  const inner = value as Record<string, unknown>;
  const deeper = ['error', 'response', 'detail', 'details', 'errors', 'innererror'].flatMap((name) =>
    name in inner ? collectDetails(inner[name], depth + 1) : [],
  );
  const own = safeParse(detailsSchema, value).data;
  return own ? [...(own.message ? [own] : []), ...deeper, ...(own.message ? [] : [own])] : deeper;
}

/** OpenRouter and Google send the status of an error as its code, in the middle of a stream too. */
const statusIn = (codes: (string | undefined)[]) =>
  codes.map(Number).find((code) => Number.isInteger(code) && code >= 400 && code < 600);
