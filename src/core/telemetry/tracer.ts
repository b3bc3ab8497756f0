import { AsyncLocalStorage } from 'node:async_hooks';
import type { Runtime } from '../runtime.ts';
import type { FinishedSpan } from './finished-span.ts';
import type { Sampler } from './sampler.ts';
import { formatTaskSpan } from './stored-context.ts';
import {
  type Attributes,
  type AttributeValue,
  MAX_TEXT,
  type PastSpan,
  type Span,
  type SpanOptions,
  type Telemetry,
} from './telemetry.ts';
import { formatTraceparent, type TraceContext } from './trace-context.ts';
import { newTraceId } from './trace-ids.ts';

/** The wall clock may be set; the measurement then restarts. */
const MAX_DRIFT_MS = 1000;

export interface TracerDeps {
  runtime: Pick<Runtime, 'now' | 'monotonic' | 'newSecret'>;
  sampler: Sampler;
  /** Takes what is to be exported; never blocks and never throws. */
  export: (span: FinishedSpan) => void;
  showContent: Telemetry['showContent'];
  ofTask: Telemetry['ofTask'];
}

/** Makes spans, and knows within which one the caller runs. */
export class Tracer implements Telemetry {
  readonly #deps: TracerDeps;
  readonly #active = new AsyncLocalStorage<TraceContext>();
  #anchor: { wall: number; monotonic: number } | undefined;
  readonly showContent: Telemetry['showContent'];
  readonly ofTask: Telemetry['ofTask'];

  constructor(deps: TracerDeps) {
    this.#deps = deps;
    this.showContent = deps.showContent;
    this.ofTask = deps.ofTask;
  }

  startSpan(name: string, options: SpanOptions = {}): Span {
    const parent = this.#parentOf(options);
    const context = this.#below(parent);
    const { kind = 'internal', startedAt = this.#now() } = options;
    const attributes = new Map(known(options.attributes));
    let isOver = false;
    return {
      context,
      set: (more) => {
        for (const [key, value] of known(more)) attributes.set(key, value);
      },
      end: (error) => {
        if (isOver) return;
        isOver = true;
        if (error !== undefined) attributes.set('error.type', error);
        this.#export({
          name,
          kind,
          context,
          parent,
          startedAt,
          endedAt: Math.max(startedAt, this.#now()),
          attributes: [...attributes],
          error,
        });
      },
    };
  }

  record({ name, kind = 'internal', context, parent, attributes, error, ...rest }: PastSpan): void {
    const all = known({ ...attributes, 'error.type': error });
    const above = parent === 'none' ? undefined : parent;
    this.#export({
      name,
      kind,
      context: context ?? this.#below(above),
      parent: above,
      ...rest,
      attributes: all,
      error,
    });
  }

  within<T>(span: Span, work: () => T): T {
    return this.#active.run(span.context, work);
  }

  async trace<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T> {
    const span = this.startSpan(name, options);
    try {
      return await this.within(span, () => work(span));
    } catch (error) {
      span.end(classOf(error));
      throw error;
    } finally {
      span.end();
    }
  }

  active(): TraceContext | undefined {
    return this.#active.getStore();
  }

  newTask(): string {
    const parent = this.active();
    return formatTaskSpan({ context: this.#below(parent), parent });
  }

  variables(): Record<string, string> {
    const context = this.active();
    if (!context) return {};
    return {
      TRACEPARENT: formatTraceparent(context),
      ...(context.state !== undefined && { TRACESTATE: context.state }),
    };
  }

  #parentOf({ parent }: SpanOptions): TraceContext | undefined {
    return parent === 'none' ? undefined : (parent ?? this.active());
  }

  /** A new context below another one, or of a new trace. */
  #below(parent: TraceContext | undefined): TraceContext {
    const { runtime } = this.#deps;
    const traceId = parent?.traceId ?? newTraceId(runtime, 16);
    return {
      traceId,
      spanId: newTraceId(runtime, 8),
      isSampled: this.#deps.sampler(traceId, parent),
      ...(parent?.state !== undefined && { state: parent.state }),
    };
  }

  #export(span: FinishedSpan): void {
    if (span.context.isSampled) this.#deps.export(span);
  }

  /** The wall clock with the fractions of the other one, so that spans of one millisecond keep their order. */
  #now(): number {
    const { runtime } = this.#deps;
    const wall = runtime.now().getTime();
    const monotonic = runtime.monotonic();
    const measured = this.#anchor && this.#anchor.wall + (monotonic - this.#anchor.monotonic);
    if (measured !== undefined && Math.abs(measured - wall) < MAX_DRIFT_MS) return measured;
    this.#anchor = { wall, monotonic };
    return wall;
  }
}

const known = (attributes: Attributes = {}): [string, AttributeValue][] =>
  Object.entries(attributes).flatMap(([name, value]): [string, AttributeValue][] => {
    if (value === undefined) return [];
    return [[name, typeof value === 'string' ? value.slice(0, MAX_TEXT).toWellFormed() : value]];
  });

/** A code or a class: messages may hold anything. */
function classOf(error: unknown): string {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.name : 'Error';
}
