import type { Decider } from './approvals.ts';

/** `ana on Pixel 8, signed`. It contains names that people chose, so it has to be escaped where it is shown. */
export function deciderText({ userId, userName, deviceName, signed, through }: Decider): string {
  const where = deviceName === undefined ? '' : ` on ${deviceName}`;
  const how = signed ? 'signed' : 'not signed';
  return `${userName ?? userId}${where}, ${how}${through === undefined ? '' : ` (with ${through})`}`;
}
