import type { Platform } from '../../contract/locations.ts';

/** The values of `SVC_NOTIFY` and what each does when svc needs the person. */
export const notifyMeanings = {
  auto: 'Bell, and a notification of the terminal if it has them, else of the desktop (default)',
  terminal: 'Bell, and a notification of the terminal if it has them',
  desktop: 'Bell, and a notification of the desktop instead of the terminal',
  bell: 'Bell only',
  off: 'No bell and no notification',
} as const;
export type NotifyWay = keyof typeof notifyMeanings;

/** How to notify; anything else counts as `auto`. */
export const notifyWay = ({ SVC_NOTIFY = 'auto' }: Platform['env']): NotifyWay =>
  Object.hasOwn(notifyMeanings, SVC_NOTIFY) ? (SVC_NOTIFY as NotifyWay) : 'auto';
