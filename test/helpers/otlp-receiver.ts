import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { decodeOtlp } from './otlp-messages.ts';

type Value = {
  stringValue?: string;
  intValue?: string;
  boolValue?: boolean;
  doubleValue?: number;
  arrayValue?: unknown;
};
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  flags: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: Value }[];
  links?: { traceId: string; spanId: string; flags: number }[];
  status: { code?: number };
}
interface Request {
  path: string;
  headers: IncomingHttpHeaders;
  body: {
    resourceSpans?: {
      resource: { attributes: OtlpSpan['attributes'] };
      scopeSpans: { spans: OtlpSpan[] }[];
    }[];
    resourceMetrics?: { scopeMetrics: { metrics: OtlpMetric[] }[] }[];
  };
}
export interface OtlpPoint {
  attributes: OtlpSpan['attributes'];
  asDouble?: number;
  count?: string;
  sum?: number;
  bucketCounts?: string[];
  explicitBounds?: number[];
  startTimeUnixNano: string;
  timeUnixNano: string;
}
export interface OtlpMetric {
  name: string;
  unit: string;
  sum?: { aggregationTemporality: number; isMonotonic: boolean; dataPoints: OtlpPoint[] };
  gauge?: { dataPoints: OtlpPoint[] };
  histogram?: { aggregationTemporality: number; dataPoints: OtlpPoint[] };
}

function read(path: string, contentType: string | undefined, body: Buffer): Request['body'] {
  if (contentType !== 'application/x-protobuf') return JSON.parse(body.toString()) as Request['body'];
  const name = path.endsWith('metrics') ? 'ExportMetricsServiceRequest' : 'ExportTraceServiceRequest';
  return decodeOtlp(name, body) as Request['body'];
}

/** A receiver of telemetry in both encodings on a loopback port; paths of metrics end with `metrics`. */
export async function startOtlpReceiver() {
  const requests: Request[] = [];
  const receiver = {
    requests,
    url: '',
    answer: (response: ServerResponse): void => void response.writeHead(200).end('{}'),
    spans: () =>
      requests.flatMap(({ body }) =>
        (body.resourceSpans ?? []).flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
    metrics: () =>
      requests.flatMap(({ body }) =>
        (body.resourceMetrics ?? []).flatMap(({ scopeMetrics }) =>
          scopeMetrics.flatMap(({ metrics }) => metrics),
        ),
      ),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const bytes = Buffer.concat(chunks);
      const body = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
      requests.push({ path, headers, body: read(path, headers['content-type'], body) });
      receiver.answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
export type OtlpReceiver = Awaited<ReturnType<typeof startOtlpReceiver>>;

/** The attributes of a span or a point by name. */
export const attributesOf = ({ attributes }: Pick<OtlpSpan, 'attributes'>): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

/** The spans as `parent > name`; those whose parent was not exported begin with `? >`. */
export function treeOf(spans: readonly OtlpSpan[]): string[] {
  const names = new Map(spans.map(({ spanId, name }) => [spanId, name]));
  return spans
    .map(({ name, parentSpanId }) =>
      parentSpanId === undefined ? name : `${names.get(parentSpanId) ?? '?'} > ${name}`,
    )
    .toSorted();
}
