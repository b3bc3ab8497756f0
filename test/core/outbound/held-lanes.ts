import type { Delivery } from '../../../src/core/delivery.ts';
import { type AttemptOutcome, DeliveryLanes } from '../../../src/core/outbound/delivery-lanes.ts';
import { manualTimer } from './manual-timer.ts';

export const prompt: AttemptOutcome = { durationMs: 20 };

/** Lanes whose attempts end when the test says. */
export function heldLanes({
  perLane = 2,
  read,
}: { perLane?: number; read?: (lane: string, limit: number) => Promise<Delivery[] | undefined> } = {}) {
  const timer = manualTimer();
  const sent: {
    id: string;
    signal: AbortSignal;
    isManual: boolean;
    end: (outcome: AttemptOutcome) => void;
  }[] = [];
  const lanes = new DeliveryLanes({
    send: (id, context) => new Promise((end) => sent.push({ id, ...context, end })),
    perLane,
    ...(read && { read }),
    now: timer.now,
    setTimer: timer.setTimer,
  });
  const delivery = (id: string, lane = 'a', { attempts = 0, inMs = 0 } = {}): Delivery => ({
    id,
    lane,
    attempts,
    dueAt: timer.now().getTime() + inMs,
  });
  return {
    lanes,
    sent,
    timer,
    delivery,
    ids: () => sent.map(({ id }) => id),
    add: (...of: Parameters<typeof delivery>) => lanes.add(delivery(...of)),
    end: (index: number, outcome: AttemptOutcome = prompt) => sent[index]?.end(outcome),
    again: (attempts: number, inMs: number): AttemptOutcome => ({
      durationMs: 20,
      retry: { attempts, dueAt: timer.now().getTime() + inMs },
    }),
  };
}
