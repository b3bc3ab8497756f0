import type { TraceContext } from './trace-context.ts';

export type AttributeValue = string | number | boolean | readonly string[];
/** What is undefined is left out. Content of people and models only through `showContent`. */
export type Attributes = Readonly<Record<string, AttributeValue | undefined>>;
/** How many characters of a text are exported. */
export const MAX_TEXT = 64 * 1024;
export type SpanKind = 'internal' | 'server' | 'client' | 'producer';

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Attributes;
  /** Default: the span within which the caller runs. `none` begins a trace. */
  parent?: TraceContext | 'none' | undefined;
  /** Default: now. In epoch milliseconds. */
  startedAt?: number;
}

export interface Span {
  readonly context: TraceContext;
  set(attributes: Attributes): void;
  /** Hands the span to the exporter; later calls do nothing. `error` is a short class of failures, never a message. */
  end(error?: string): void;
}

/** A span that is over. */
export interface PastSpan extends SpanOptions {
  name: string;
  /** Default: a new one below the parent. */
  context?: TraceContext;
  /** Other spans that it follows from. */
  links?: readonly TraceContext[] | undefined;
  startedAt: number;
  endedAt: number;
  error?: string | undefined;
}

/** Traces work; there only where an operator switched telemetry on. No call ever waits or fails. */
export interface Telemetry {
  /** Shows what people, models and tools said, without secrets; there only where an operator asked for it. */
  readonly showContent: ((value: unknown) => string) | undefined;
  startSpan(name: string, options?: SpanOptions): Span;
  /** Runs work within a span: spans that it starts are below it. */
  within<T>(span: Span, work: () => T): T;
  /** Runs work within a span of its own, which fails where the work throws. */
  trace<T>(name: string, options: SpanOptions, work: (span: Span) => Promise<T>): Promise<T>;
  /** Exports a span that is known only when it is over. */
  record(span: PastSpan): void;
  /** The span within which the caller runs. */
  active(): TraceContext | undefined;
  /** The context of a new task, to be stored with it: a span below the active one that is exported when the task finishes. */
  newTask(): string;
  /** The span of a stored task. */
  ofTask(id: string): Promise<TraceContext | undefined>;
  /** The environment variables that let a program continue the trace. */
  variables(): Record<string, string>;
}

/** Runs work within a span, or without one where telemetry is off. */
export function traced<T>(
  telemetry: Telemetry | undefined,
  name: string,
  options: () => SpanOptions,
  work: (span?: Span) => Promise<T>,
): Promise<T> {
  return telemetry ? telemetry.trace(name, options(), work) : work();
}
