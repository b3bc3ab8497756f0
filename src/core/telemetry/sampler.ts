import type { TraceContext } from './trace-context.ts';

/** Decides whether a new span is exported. */
export type Sampler = (traceId: string, parent: TraceContext | undefined) => boolean;

/** 52 of the 56 random bits of a trace id, as many as a number holds exactly. */
const DIGITS = 13;

/** Samples the same traces as every other sampler with the same ratio. */
const ratioSampler =
  (ratio: number): Sampler =>
  (traceId) =>
    Number.parseInt(traceId.slice(-DIGITS), 16) / 16 ** DIGITS >= 1 - ratio;

const parentBased =
  (root: Sampler): Sampler =>
  (traceId, parent) =>
    parent ? parent.isSampled : root(traceId, parent);

/** The samplers of `OTEL_TRACES_SAMPLER`; undefined for an unknown name. */
export function samplerOf(name: string, ratio: number): Sampler | undefined {
  const plain: Record<string, Sampler> = {
    always_on: () => true,
    always_off: () => false,
    traceidratio: ratioSampler(ratio),
  };
  const own = Object.hasOwn(plain, name) ? plain[name] : undefined;
  const based = name.startsWith('parentbased_') ? name.slice('parentbased_'.length) : '';
  const root = Object.hasOwn(plain, based) ? plain[based] : undefined;
  return own ?? (root && parentBased(root));
}
