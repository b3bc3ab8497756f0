import type { KillSwitch } from './kill-points.ts';
import { replaceMethod } from './replace-method.ts';

/** Puts the points into the parts that take webhooks, send them, and start what is scheduled. */
export async function installOutsidePoints(killSwitch: KillSwitch): Promise<void> {
  // Loaded only now, when the points of the database are in place.
  const { WorkIntake } = await import('../../../src/core/integrations/inbound/work-intake.ts');
  const { DeliveryLog } = await import('../../../src/core/integrations/inbound/delivery-log.ts');
  const { AttemptRecorder } = await import('../../../src/core/webhooks/attempt-recorder.ts');
  const { NotificationService } = await import('../../../src/core/notifications/notification-service.ts');

  const { WebhookDeliveryStore } = await import('../../../src/core/webhooks/webhook-delivery-store.ts');
  const { ScheduleStore } = await import('../../../src/core/schedules/schedule-store.ts');
  const { WebhookDeliveryRetention } =
    await import('../../../src/core/webhooks/webhook-delivery-retention.ts');

  // All are counted in the end.
  replaceMethod(WebhookDeliveryRetention.prototype, 'removeOld', () => async () => undefined);
  // What a sweep finds later would hide what is lost: only the start takes up what is there.
  let isTakenUp = false;
  replaceMethod(WebhookDeliveryStore.prototype, 'withPending', (withPending) => async (...args) => {
    if (isTakenUp) return [];
    isTakenUp = true;
    return withPending(...args);
  });
  replaceMethod(WorkIntake.prototype, 'take', (take) => (...args) => {
    killSwitch.pass('inbound-verified');
    return take(...args);
  });
  replaceMethod(DeliveryLog.prototype, 'write', (write) => (...args) => {
    killSwitch.passAtCommit('before-inbound', 'after-inbound');
    return write(...args);
  });
  replaceMethod(AttemptRecorder.prototype, 'record', (record) => (...args) => {
    killSwitch.pass('delivery-sent');
    killSwitch.passAtCommit('before-recorded', 'after-recorded');
    return record(...args);
  });
  replaceMethod(NotificationService.prototype, 'add', (add) => (transaction, notification) => {
    if (notification.type === 'webhook_failing') killSwitch.passAtCommit('before-failing', 'after-failing');
    add(transaction, notification);
  });
  replaceMethod(ScheduleStore.prototype, 'setRun', (setRun) => (...args) => {
    killSwitch.passAtCommit('before-scheduled', 'after-scheduled');
    return setRun(...args);
  });
}
