import type { Feature } from '../lifecycle.ts';
import { type NotificationDeps, NotificationService } from './notification-service.ts';

/** Wires the notifications of users. */
export function composeNotifications(
  deps: NotificationDeps,
): Feature<{ notifications: NotificationService }> {
  return { services: { notifications: new NotificationService(deps) } };
}
