import type { BigIntStats } from 'node:fs';

/** A change within this time of another may leave no trace in the times of the file. */
const RACY_NS = 50_000_000n;

/** By what is seen that a file is another than before, without reading it. */
export const stampOf = ({ size, mtimeNs, ctimeNs, ino, dev }: BigIntStats): string =>
  `${size}.${mtimeNs}.${ctimeNs}.${ino}.${dev}`;

/** The stamp to keep of a file that is read after `nowMs`: one that may be equal after a further change equals none. */
export const stampToKeep = (stats: BigIntStats, nowMs: number): string =>
  stats.ctimeNs > BigInt(nowMs) * 1_000_000n - RACY_NS ? `${stampOf(stats)}?` : stampOf(stats);
