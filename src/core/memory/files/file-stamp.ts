import type { BigIntStats } from 'node:fs';

/** A change within this time after another may leave the file times unchanged. */
const RACY_NS = 50_000_000n;

/** Identifies a version of a file without reading it. */
export const stampOf = ({ size, mtimeNs, ctimeNs, ino, dev }: BigIntStats): string =>
  `${size}.${mtimeNs}.${ctimeNs}.${ino}.${dev}`;

/**
 * The stamp to store for a file read after `nowMs`. A very recent file gets one that never matches, so it is read
 * again.
 */
export const stampToKeep = (stats: BigIntStats, nowMs: number): string =>
  stats.ctimeNs > BigInt(nowMs) * 1_000_000n - RACY_NS ? `${stampOf(stats)}?` : stampOf(stats);
