/** Where a span stands in a trace, as W3C Trace Context carries it between programs. */
export interface TraceContext {
  /** 32 lowercase hexadecimal digits, not all zero. */
  traceId: string;
  /** 16 lowercase hexadecimal digits, not all zero. */
  spanId: string;
  isSampled: boolean;
  /** The `tracestate` of other vendors, passed on as it came. */
  state?: string;
  /** Whether another program began it. */
  isRemote?: boolean;
}

const MAX_STATE = 512;
const MAX_MEMBERS = 32;
const pattern = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
/** Printable ASCII without what would end a header or a member. */
const stateMember =
  /^[a-z\d][a-z\d_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const zeros = /^0+$/;

/** Reads the headers of a request; undefined for anything that the specification does not allow. */
export function parseTraceContext(
  traceparent: string | undefined,
  tracestate?: string,
): TraceContext | undefined {
  const [, version = '', traceId = '', spanId = '', flags = '', rest] = pattern.exec(traceparent ?? '') ?? [];
  // Later versions may add fields; this one has none, and ff is no version.
  if (version === '' || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (zeros.test(traceId) || zeros.test(spanId)) return undefined;
  const isSampled = (Number.parseInt(flags, 16) & 1) === 1;
  const state = tracestate === undefined ? undefined : parseState(tracestate);
  return { traceId, spanId, isSampled, isRemote: true, ...(state !== undefined && { state }) };
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;

/** The headers of a request that continues the trace. */
export const traceHeaders = (context: TraceContext): Record<string, string> => ({
  traceparent: formatTraceparent(context),
  ...(context.state !== undefined && { tracestate: context.state }),
});

/** A list with an invalid member is dropped as a whole, as the specification wants it; the trace continues without. */
function parseState(text: string): string | undefined {
  if (text.length > MAX_STATE) return undefined;
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  if (members.length === 0 || members.length > MAX_MEMBERS) return undefined;
  return members.every((member) => stateMember.test(member)) ? members.join(',') : undefined;
}
