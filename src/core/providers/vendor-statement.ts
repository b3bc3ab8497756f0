import { z } from 'zod';

/** What a vendor says of a failure. */
export interface VendorStatement {
  /** Of the HTTP answer, or what the error itself says; undefined in the middle of a stream. */
  status: number | undefined;
  /** For people. */
  message: string;
  /** Codes, types and the message, in lower case: what the failure is recognised by. */
  words: string;
  /** It said something, and not in the way that was agreed on. */
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

/** Reads an error of the AI SDK, or what it passes on of a vendor's stream: an object or a text. */
export function readStatement(error: unknown): VendorStatement {
  const thrown: z.output<typeof thrownSchema> =
    error instanceof Error ? (thrownSchema.safeParse(error).data ?? {}) : {};
  const body = error instanceof Error ? (parse(thrown.responseBody ?? '') ?? thrown.data) : error;
  const found = error instanceof Error && body === undefined ? [] : dig(body);
  const said = found.map(({ message, msg, detail }) => message || msg || detail || '').find(Boolean);
  const isPage = /^\s*</.test(thrown.responseBody ?? '');
  const message = said ?? (isPage || body !== undefined ? '' : (thrown.message ?? ''));
  const codes = found.flatMap(({ code, type, status, reason }) => [code, type, status, reason]);
  return {
    status: thrown.statusCode ?? statusIn(codes),
    message,
    words: [...codes, message].join(' ').toLowerCase(),
    isUnreadable:
      said === undefined && (thrown.statusCode ?? 0) < 300 && /^AI_(?!RetryError)/.test(thrown.name ?? ''),
  };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** The details at every depth where vendors put them: `error`, `detail`, `details`, `errors`, `metadata`, `response`. */
function dig(value: unknown, depth = 0): z.output<typeof detailsSchema>[] {
  if (typeof value === 'string') return value === '' ? [] : [{ message: value }];
  if (Array.isArray(value)) return value.slice(0, 5).flatMap((each) => dig(each, depth + 1));
  if (typeof value !== 'object' || value === null || depth > 4) return [];
  const inner = value as Record<string, unknown>;
  const deeper = ['error', 'response', 'detail', 'details', 'errors', 'innererror'].flatMap((name) =>
    name in inner ? dig(inner[name], depth + 1) : [],
  );
  const own = detailsSchema.safeParse(value).data;
  return own ? [...(own.message ? [own] : []), ...deeper, ...(own.message ? [] : [own])] : deeper;
}

/** OpenRouter and Google give the status of an error as its code, also in the middle of a stream. */
const statusIn = (codes: (string | undefined)[]) =>
  codes.map(Number).find((code) => Number.isInteger(code) && code >= 400 && code < 600);
